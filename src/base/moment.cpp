#include "isthmus/base/moment.hpp"

#include <fmt/format.h>

#include "isthmus/base/error.hpp"

namespace isthmus {

Time Moment::operator-(Moment earlier) const {
  std::int64_t fs = 0;
  if (__builtin_mul_overflow(ns_ - earlier.ns_, kNanosecond, &fs) || __builtin_add_overflow(fs, fs_ - earlier.fs_, &fs))
    throw Error(fmt::format("moments {} s apart: a Time holds 2.56 hours", seconds() - earlier.seconds()));
  return Time::fs(fs);
}

}  // namespace isthmus
