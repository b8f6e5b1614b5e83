// A run of known shapes allocates nothing: neither a buffer of the context nor anything on the
// heap.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "api/session.h"

namespace {

std::atomic<int64_t> allocations{0};

}  // namespace

// Of the whole test program. All plain forms: what one makes another frees.
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new(size_t bytes) {
  if (void* p = operator new(bytes, std::nothrow)) return p;
  throw std::bad_alloc();
}
void* operator new[](size_t bytes) { return operator new(bytes); }
void* operator new[](size_t bytes, const std::nothrow_t& tag) noexcept {
  return operator new(bytes, tag);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }

namespace planish::api {
namespace {

TEST(SteadyState, AThousandRunsAllocateNothing) {
  LoadOptions options;
  options.threads = 2;
  const auto session =
      Session::open(PLANISH_SOURCE_DIR "/models/fashion_mnist/model.onnx", options);
  const auto context = session->make_context();
  const Tensor x(DType::kFloat32, {1, 1, 28, 28});
  context->set_input(0, x);
  context->run();
  const uint64_t buffers = context->stats().allocations;
  const int64_t before = allocations.load();
  ASSERT_GT(before, 0) << "the counter is not in place";
  for (int i = 0; i < 1000; ++i) {
    context->set_input(0, x);
    context->run();
  }
  EXPECT_EQ(allocations.load() - before, 0);
  EXPECT_EQ(context->stats().allocations - buffers, 0u);
  EXPECT_EQ(context->stats().runs, 1001u);
}

}  // namespace
}  // namespace planish::api
