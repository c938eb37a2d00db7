#include "group/members.hpp"

namespace weft::group {

int Members::find(int pe) const noexcept {
  const int distance = pe - start;
  if (stride == 1) {  // nearly always, and a division costs as much as the rest of a short call
    return distance >= 0 && distance < size ? distance : -1;
  }
  if (stride == 0 || distance % stride != 0) {
    return distance == 0 && size > 0 ? 0 : -1;
  }
  const int member = distance / stride;
  return member >= 0 && member < size ? member : -1;
}

}  // namespace weft::group
