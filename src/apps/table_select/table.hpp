#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "isthmus/base/partial_file.hpp"

/// The tables that rows are selected from, and the file that selected rows are written to.
namespace isthmus::apps {

class Table {
 public:
  virtual ~Table() = default;
  virtual std::int64_t rows() const = 0;
  /// Reads rows from the `first`-th on; those behind the table's end have no key. Several threads call it.
  void read(std::int64_t first, std::span<std::byte> to) const;

 private:
  virtual void read_own(std::int64_t first, std::span<std::byte> to) const = 0;
};

/// A file of rows.
class FileTable final : public Table {
 public:
  /// Throws Error naming the file where it cannot be read, holds no row, or half a row.
  explicit FileTable(const std::filesystem::path& file);
  std::int64_t rows() const override { return rows_; }
  /// The bound below which the keys of so large a share of the rows lie, where no two keys are equal.
  std::int64_t bound_of(double share) const;

 private:
  void read_own(std::int64_t first, std::span<std::byte> to) const override;
  std::vector<std::int64_t> keys() const;

  /// Closes what it holds.
  struct Descriptor {
    int number;
    explicit Descriptor(int of) : number(of) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor();
  };

  std::filesystem::path file_;
  Descriptor open_;
  std::int64_t rows_ = 0;
};

/// Rows in memory that follow from a seed: keys are drawn uniformly from 0 to 2^63 - 1.
class GeneratedTable final : public Table {
 public:
  GeneratedTable(std::uint64_t seed, std::int64_t rows);

  std::int64_t rows() const override { return rows_; }
  static std::int64_t bound_of(double share);

 private:
  void read_own(std::int64_t first, std::span<std::byte> to) const override;

  std::int64_t rows_;
  std::vector<std::byte> bytes_;
};

/// A file of selected rows, which is there once it is whole.
class RowWriter {
 public:
  /// Throws Error naming the file where it cannot be written; so do the others.
  explicit RowWriter(std::filesystem::path file);

  /// Begins it anew.
  void begin();
  void write(std::span<const std::byte> rows);
  void finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void refuse(int error) const;

  PartialFile file_;
  std::unique_ptr<std::FILE, Close> open_;
};

}  // namespace isthmus::apps
