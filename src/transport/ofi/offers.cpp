// What weft-info asks.
#include "transport/offers.hpp"

#include <cstdio>
#include <type_traits>

#include "transport/ofi/provider.hpp"

// As many PEs as providers prepare for at least: here nobody asks for a certain job.
extern "C" [[gnu::visibility("default")]] void weft_transport_offers(const char* provider,
                                                                     weft::transport::Offers* offers) {
  using namespace weft::transport;
  *offers = {};
  (void)std::snprintf(offers->library, sizeof offers->library, "libfabric %d.%d", FI_MAJOR(fi_version()),
                      FI_MINOR(fi_version()));
  std::vector<ofi::Candidate> tried;
  const auto chosen = ofi::choose_provider(provider, 1, &tried);
  if (!chosen) {
    (void)std::snprintf(offers->problem, sizeof offers->problem, "%s", chosen.error().text());
  }
  bool one_is_chosen = false;
  for (const ofi::Candidate& candidate : tried) {
    if (offers->n == Offers::kMost) {
      ++offers->left_out;
      continue;
    }
    Offer& offer = offers->offers[offers->n++];
    (void)std::snprintf(offer.name, sizeof offer.name, "%s", candidate.name);
    (void)std::snprintf(offer.address, sizeof offer.address, "%s", candidate.address);
    (void)std::snprintf(offer.reason, sizeof offer.reason, "%s", candidate.reason.text());
    offer.chosen = offer.reason[0] == '\0' && !one_is_chosen;
    one_is_chosen = one_is_chosen || offer.chosen;
    offer.amo_cpu_coherent = ofi::amo_cpu_coherent(candidate.name);
    offer.inject_bytes = candidate.inject_bytes;
    offer.most_bytes = candidate.most_bytes;
  }
}
static_assert(std::is_same_v<decltype(&weft_transport_offers), weft::transport::OffersFunction>);
