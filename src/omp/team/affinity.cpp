// The lines of OMP_DISPLAY_AFFINITY and omp_capture_affinity.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "omp/sync/fatal.hpp"
#include "omp/team/league.hpp"
#include "omp/team/places.hpp"
#include "omp/team/team.hpp"

namespace weft::omp {

namespace {

std::string cpus_of_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::pthread_getaffinity_np(::pthread_self(), sizeof set, &set) != 0) {
    return "undefined";
  }
  std::string text;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    int last = cpu;
    while (last < CPU_SETSIZE && CPU_ISSET(last, &set)) {
      ++last;
    }
    if (last > cpu) {
      text += (text.empty() ? "" : ",") + std::to_string(cpu);
      if (last - cpu > 1) {
        text += "-" + std::to_string(last - 1);
      }
      cpu = last;
    }
  }
  return text;
}

struct Field {
  const char* name;
  char letter;
};
constexpr Field kFields[] = {{"team_num", 't'},       {"num_teams", 'T'},   {"nesting_level", 'L'},
                             {"thread_num", 'n'},     {"num_threads", 'N'}, {"ancestor_tnum", 'a'},
                             {"host", 'H'},           {"process_id", 'P'},  {"native_thread_id", 'i'},
                             {"thread_affinity", 'A'}};

std::string value_of(const Thread& self, char letter, bool& number) {
  const Position& at = self.at;
  number = true;
  switch (letter) {
    case 't': return std::to_string(number_of_team());
    case 'T': return std::to_string(number_of_teams());
    case 'L': return std::to_string(at.level);
    case 'n': return std::to_string(at.number);
    case 'N': return std::to_string(size_of(self));
    case 'a': return std::to_string(at.team != nullptr ? at.team->outer.number : -1);
    case 'P': return std::to_string(::getpid());
    case 'i': {
      char text[32];
      (void)std::snprintf(text, sizeof text, "0x%lx", static_cast<unsigned long>(::pthread_self()));
      return text;
    }
    default: break;
  }
  number = false;
  if (letter == '\0') {
    return "undefined";
  }
  if (letter == 'H') {
    char name[256] = "node";
    (void)::gethostname(name, sizeof name - 1);
    return name;
  }
  return cpus_of_thread();
}

// With libgomp a program ends that has fields unknown; with LLVM's library they are fields without a letter, which are
// undefined.
bool letter_of(const char*& at, char& letter) {
  if (*at == '{') {
    const char* const end = std::strchr(at, '}');
    if (end == nullptr && g_settings.is_llvms) {
      at += std::strlen(at);
      return true;
    }
    if (end == nullptr) {
      die("unterminated long type name '%s' in affinity format", at + 1);
    }
    const std::string name(at + 1, end);
    for (const Field& each : kFields) {
      if (name == each.name) {
        letter = each.letter;
        at = end + 1;
        return true;
      }
    }
    if (g_settings.is_llvms) {
      at = end + 1;
      return true;
    }
    die("unsupported long type name '%.*s' in affinity format", static_cast<int>(name.size()), name.c_str());
  }
  for (const Field& each : kFields) {
    if (*at == each.letter) {
      letter = *at++;
      return true;
    }
  }
  if (g_settings.is_llvms) {
    at += *at != '\0' ? 1 : 0;
    return true;
  }
  return false;
}

}  // namespace

void show_affinity(const Thread& self) noexcept {
  char few[512];
  const std::size_t length = write_affinity(self, nullptr, few, sizeof few);
  std::string text(few);
  if (length >= sizeof few) {
    text.resize(length + 1);
    (void)write_affinity(self, nullptr, text.data(), length + 1);
    text.resize(length);
  }
  text += '\n';
  (void)!::write(2, text.data(), text.size());  // a whole line
}

std::size_t write_affinity(const Thread& self, const char* format, char* to, std::size_t room) noexcept {
  std::string all;
  for (const char* at = format != nullptr && *format != '\0' ? format : affinity_format(); *at != '\0';) {
    if (*at != '%') {
      all += *at++;
      continue;
    }
    ++at;
    if (*at == '%') {
      all += *at++;
      continue;
    }
    bool zero = false;
    bool right = false;
    if (*at == '0') {
      zero = true;
      ++at;
      if (*at != '.' && !g_settings.is_llvms) {
        die("leading zero not followed by dot in affinity format");
      }
    }
    if (*at == '.') {
      right = true;
      ++at;
    }
    std::size_t width = 0;
    bool has_width = false;
    while (*at >= '0' && *at <= '9') {
      has_width = true;
      width = width < 100'000 ? width * 10 + static_cast<std::size_t>(*at - '0') : width;
      ++at;
    }
    if (right && !has_width && !g_settings.is_llvms) {
      die("leading zero or right justification in affinity format requires size");
    }
    char letter = 0;
    if (!letter_of(at, letter)) {
      die("unsupported type %c in affinity format", *at);
    }
    bool number = false;
    std::string value = value_of(self, letter, number);
    if (value.size() < width) {
      if (zero && right && number) {
        const std::size_t sign = value[0] == '-' ? 1 : (value.size() > 1 && value[1] == 'x') ? 2 : 0;
        value.insert(sign, width - value.size(), '0');
      } else if (right) {
        value.insert(0, width - value.size(), ' ');
      } else {
        value.append(width - value.size(), ' ');
      }
    }
    all += value;
  }
  if (room > 0) {
    const std::size_t length = all.size() < room ? all.size() : room - 1;
    std::memcpy(to, all.data(), length);
    to[length] = '\0';
  }
  return all.size();
}

}  // namespace weft::omp
