#include "hpcc/reference_fft.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace isthmus::hpcc {

ReferenceFft::ReferenceFft(int log_size) : size_(std::size_t{1} << log_size), roots_(size_ / 2), reversed_(size_) {
  for (std::size_t k = 0; k < roots_.size(); ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size_);
    roots_[k] = {std::cos(angle), std::sin(angle)};
  }
  for (std::size_t index = 1; index < size_; ++index)
    reversed_[index] = reversed_[index / 2] / 2 + index % 2 * (size_ / 2);
}

void ReferenceFft::inverse(std::vector<Complex>& values) const {
  for (std::size_t index = 0; index < size_; ++index)
    if (index < reversed_[index]) std::swap(values[index], values[reversed_[index]]);
  for (std::size_t span = 1; span < size_; span *= 2)
    for (std::size_t start = 0; start < size_; start += 2 * span)
      for (std::size_t k = 0; k < span; ++k) {
        const Complex root = roots_[k * (size_ / 2 / span)];
        Complex& a = values[start + k];
        Complex& b = values[start + k + span];
        const Complex turned{b.re * root.re - b.im * root.im, b.re * root.im + b.im * root.re};
        b = {a.re - turned.re, a.im - turned.im};
        a = {a.re + turned.re, a.im + turned.im};
      }
  for (Complex& value : values) value = {value.re / static_cast<double>(size_), value.im / static_cast<double>(size_)};
}

}  // namespace isthmus::hpcc
