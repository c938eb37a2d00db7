// A long line: passes frames between two interfaces, each a fixed time after it came. For kernels without netem.
//
//   delay INTERFACE INTERFACE MICROSECONDS
//
// Segmentation offloads must be off, or frames come that no wire would carry.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

enum { kFrames = 8192, kLongest = 2048, kSecond = 1000000000 };

typedef struct {
  long due;  // when it goes on, in ns
  size_t size;
  char bytes[kLongest];
} Frame;

// One direction: frames wait between taking and giving, which only ever grow.
typedef struct {
  int from, to;
  unsigned long taken, given;
  Frame* frames;
} Line;

static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * kSecond + t.tv_nsec;
}

static int open_interface(const char* name) {
  const int s = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, htons(ETH_P_ALL));
  const struct sockaddr_ll address = {
      .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)if_nametoindex(name)};
  const struct packet_mreq all = {.mr_ifindex = address.sll_ifindex, .mr_type = PACKET_MR_PROMISC};
  const int on = 1;
  const int room = 8 << 20;
  if (s < 0 || bind(s, (const struct sockaddr*)&address, sizeof address) != 0 ||
      setsockopt(s, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all) != 0 ||
      setsockopt(s, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) != 0) {
    perror(name);
    exit(1);
  }
  (void)setsockopt(s, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  return s;
}

static void take(Line* line, long delay) {
  while (line->taken - line->given < kFrames) {
    Frame* frame = &line->frames[line->taken % kFrames];
    const ssize_t size = recv(line->from, frame->bytes, sizeof frame->bytes, MSG_TRUNC);
    if (size <= 0) return;
    if (size > kLongest) {
      (void)fprintf(stderr, "delay: a frame of %zd bytes was dropped; turn segmentation offloads off\n", size);
      continue;
    }
    frame->size = (size_t)size;
    frame->due = now() + delay;
    ++line->taken;
  }
}

// Passes on what is due; when the next one is.
static long give(Line* line) {
  for (; line->given != line->taken; ++line->given) {
    const Frame* frame = &line->frames[line->given % kFrames];
    if (frame->due > now()) return frame->due;
    if (send(line->to, frame->bytes, frame->size, 0) < 0 && errno == EAGAIN) return now();
  }
  return now() + kSecond;
}

int main(int argc, char** argv) {
  if (argc != 4) {
    (void)fprintf(stderr, "usage: delay INTERFACE INTERFACE MICROSECONDS\n");
    return 2;
  }
  const int a = open_interface(argv[1]);
  const int b = open_interface(argv[2]);
  const long delay = atol(argv[3]) * 1000;
  Line lines[2] = {{.from = a, .to = b}, {.from = b, .to = a}};
  for (int i = 0; i < 2; ++i) lines[i].frames = malloc(kFrames * sizeof(Frame));
  (void)prctl(PR_SET_TIMERSLACK, 1);
  for (;;) {
    long next = now() + kSecond;
    for (int i = 0; i < 2; ++i) {
      take(&lines[i], delay);
      const long due = give(&lines[i]);
      if (due < next) next = due;
    }
    struct pollfd watched[2] = {{a, POLLIN, 0}, {b, POLLIN, 0}};
    const long left = next - now();
    const struct timespec wait = {left > 0 ? left / kSecond : 0, left > 0 ? left % kSecond : 0};
    (void)ppoll(watched, 2, &wait, NULL);
  }
}
