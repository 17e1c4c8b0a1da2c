#include "isthmus/base/worker.hpp"

#include <gtest/gtest.h>

#include <future>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace isthmus {
namespace {

TEST(Worker, DoesItsTasksInTheOrderInWhichTheyWereGiven) {
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  std::vector<int> done;
  Worker worker;
  for (const int task : expected) worker.add([&done, task] { done.push_back(task); });
  worker.finish();
  EXPECT_EQ(done, expected);
}

TEST(Worker, WorksOnAThreadOfItsOwn) {
  std::thread::id where;
  Worker worker;
  worker.add([&] { where = std::this_thread::get_id(); });
  worker.finish();
  EXPECT_NE(where, std::this_thread::get_id());
}

TEST(Worker, WaitsForAsManyTasksAsItIsAskedTo) {
  std::promise<void> go;
  int first = 0;
  int second = 0;
  Worker worker;
  worker.add([&] { first = 1; });
  worker.add([&, wait = go.get_future().share()] {
    wait.wait();
    second = 1;
  });
  worker.wait_for(0);
  worker.wait_for(1);
  EXPECT_EQ(first, 1);
  go.set_value();
  worker.wait_for(2);
  EXPECT_EQ(second, 1);
}

TEST(Worker, WhatATaskThrowsEndsTheWorkAndReachesEachLaterCall) {
  int later = 0;
  std::promise<void> all_given;
  Worker worker;
  worker.add([wait = all_given.get_future().share()] {
    wait.wait();
    throw std::runtime_error("no paper");
  });
  worker.add([&] { ++later; });
  all_given.set_value();
  EXPECT_THROW(worker.wait_for(1), std::runtime_error);
  EXPECT_THROW(worker.add([&] { ++later; }), std::runtime_error);
  EXPECT_THROW(worker.finish(), std::runtime_error);
  EXPECT_EQ(later, 0);
}

TEST(Worker, EndsTheTaskThatRunsBeforeItGoes) {
  std::promise<void> begun;
  int done = 0;
  {
    Worker worker;
    worker.add([&] {
      begun.set_value();
      ++done;
    });
    begun.get_future().wait();
  }
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace isthmus
