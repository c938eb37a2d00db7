// What happens to a word on which a network card and the CPU do atomic operations at the same time: updates are lost.
// This is why Weft asks of a provider whether its atomics may be mixed with the CPU's, and never guesses.
//
//   mixed ROUNDS      in each the card does 1000 fetch-adds, and the CPU as many as it can meanwhile
#define _GNU_SOURCE
#include <infiniband/verbs.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kPort = 1, kDepth = 8, kAdds = 1000 };

static uint64_t word;    // what both add to
static uint64_t before;  // where the card writes what it found
static int over;

static void need(int holds, const char* what) {
  if (holds) return;
  perror(what);
  exit(1);
}

// The card's work is done in the kernel by the processor that asks for it; so the CPU adds on another.
static void run_on(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  need(sched_setaffinity(0, sizeof one, &one) == 0, "two processors are needed");
}

// Adds until it is over; how often, to *arg.
static void* cpu(void* arg) {
  run_on(1);
  long n = 0;
  for (; !__atomic_load_n(&over, __ATOMIC_RELAXED); ++n) __atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
  *(long*)arg = n;
  return NULL;
}

static struct ibv_qp* make_pair(struct ibv_pd* pd, struct ibv_cq* cq) {
  struct ibv_qp_init_attr attributes = {
      .send_cq = cq,
      .recv_cq = cq,
      .qp_type = IBV_QPT_RC,
      .cap = {.max_send_wr = kDepth, .max_recv_wr = kDepth, .max_send_sge = 1, .max_recv_sge = 1}};
  struct ibv_qp* qp = ibv_create_qp(pd, &attributes);
  need(qp != NULL, "ibv_create_qp");
  return qp;
}

// An endpoint connected with itself: what it asks for is done by its own card.
static void connect_to_itself(struct ibv_qp* qp, int index, union ibv_gid gid) {
  struct ibv_qp_attr init = {.qp_state = IBV_QPS_INIT,
                             .port_num = kPort,
                             .qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC};
  need(ibv_modify_qp(qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0, "init");
  struct ibv_qp_attr receive = {
      .qp_state = IBV_QPS_RTR,
      .path_mtu = IBV_MTU_1024,
      .dest_qp_num = qp->qp_num,
      .max_dest_rd_atomic = 1,
      .min_rnr_timer = 12,
      .ah_attr = {
          .is_global = 1, .port_num = kPort, .grh = {.dgid = gid, .sgid_index = (uint8_t)index, .hop_limit = 1}}};
  need(ibv_modify_qp(qp, &receive,
                     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                         IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) == 0,
       "ready to receive");
  struct ibv_qp_attr send = {
      .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1};
  need(ibv_modify_qp(qp, &send,
                     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                         IBV_QP_MAX_QP_RD_ATOMIC) == 0,
       "ready to send");
}

static void add_by_card(struct ibv_qp* qp, struct ibv_cq* cq, const struct ibv_mr* from, const struct ibv_mr* to) {
  struct ibv_sge place = {.addr = (uintptr_t)&before, .length = sizeof before, .lkey = from->lkey};
  struct ibv_send_wr request = {.sg_list = &place,
                                .num_sge = 1,
                                .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
                                .send_flags = IBV_SEND_SIGNALED,
                                .wr.atomic = {.remote_addr = (uintptr_t)&word, .compare_add = 1, .rkey = to->rkey}};
  struct ibv_send_wr* refused = NULL;
  need(ibv_post_send(qp, &request, &refused) == 0, "ibv_post_send");
  struct ibv_wc done;
  int n = 0;
  while (n == 0) n = ibv_poll_cq(cq, 1, &done);
  if (n < 0 || done.status != IBV_WC_SUCCESS) {
    printf("the card's fetch-add failed: %s\n", n < 0 ? "ibv_poll_cq" : ibv_wc_status_str(done.status));
    exit(1);
  }
}

int main(int argc, char** argv) {
  run_on(0);
  const long rounds = argc > 1 ? atol(argv[1]) : 1;
  struct ibv_device** devices = ibv_get_device_list(NULL);
  need(devices != NULL && devices[0] != NULL, "no RDMA device");
  struct ibv_context* context = ibv_open_device(devices[0]);
  need(context != NULL, "ibv_open_device");
  struct ibv_pd* pd = ibv_alloc_pd(context);
  struct ibv_cq* cq = ibv_create_cq(context, kDepth, NULL, NULL, 0);
  need(pd != NULL && cq != NULL, "ibv_create_cq");
  struct ibv_mr* from = ibv_reg_mr(pd, &before, sizeof before, IBV_ACCESS_LOCAL_WRITE);
  struct ibv_mr* to = ibv_reg_mr(pd, &word, sizeof word, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
  need(from != NULL && to != NULL, "ibv_reg_mr");
  const int index = 1;  // the address of the interface, in the form of version 2 of RoCE
  union ibv_gid gid;
  need(ibv_query_gid(context, kPort, index, &gid) == 0, "ibv_query_gid");
  struct ibv_qp* qp = make_pair(pd, cq);
  connect_to_itself(qp, index, gid);

  // One after the other: both are right.
  for (long i = 0; i < kAdds; ++i) {
    __atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
    add_by_card(qp, cq, from, to);
  }
  printf("in turns: %s\n", word == 2 * kAdds ? "nothing was lost" : "updates are lost");

  // The CPU adds as long as the card does. How often they meet is up to the machine, so this goes on until they did.
  long lost = 0;
  for (int round = 0; round < rounds && lost == 0; ++round) {
    word = 0;
    over = 0;
    long by_cpu = 0;
    pthread_t thread;
    need(pthread_create(&thread, NULL, cpu, &by_cpu) == 0, "pthread_create");
    for (long i = 0; i < kAdds; ++i) add_by_card(qp, cq, from, to);
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    need(pthread_join(thread, NULL) == 0, "pthread_join");
    lost = kAdds + by_cpu - (long)word;
  }
  printf("at once: %s\n", lost != 0 ? "updates are lost" : "nothing was lost");
  return 0;
}
