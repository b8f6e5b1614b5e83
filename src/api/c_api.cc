// The C interface over Session. Every entry turns an Error into a status and keeps its text.
#include <cstring>
#include <new>

#include "api/session.h"
#include "base/error.h"
#include "planish/planish.h"

using planish::Error;
using planish::ErrorCode;

struct planish_plan {
  std::unique_ptr<planish::api::Session> session;
};

struct planish_value {
  planish::Value value;
  // Parts handed out, made on first use; views of `value`.
  mutable std::vector<std::unique_ptr<planish_value>> items;
};

struct planish_context {
  planish_plan* plan = nullptr;
  std::unique_ptr<planish::runtime::Context> context;
  std::vector<planish_value> outputs;  // views of the last run
  std::vector<std::string> notes;      // of the last run
};

namespace {

thread_local std::string last_error;

planish_status status_of(ErrorCode code) { return static_cast<planish_status>(code); }
static_assert(static_cast<int>(ErrorCode::kUsage) == PLANISH_USAGE &&
              static_cast<int>(ErrorCode::kInvalidPlan) == PLANISH_INVALID_PLAN &&
              static_cast<int>(ErrorCode::kIo) == PLANISH_IO &&
              static_cast<int>(ErrorCode::kMismatch) == PLANISH_MISMATCH &&
              static_cast<int>(ErrorCode::kInternal) == PLANISH_INTERNAL);

template <class F>
planish_status guarded(F&& f) noexcept {
  try {
    f();
    return PLANISH_OK;
  } catch (const Error& e) {
    last_error = e.what();
    return status_of(e.code());
  } catch (const std::bad_alloc&) {
    last_error = "out of memory";
    return PLANISH_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    last_error = e.what();
    return PLANISH_INTERNAL;
  }
}

void require(bool condition, const char* what) {
  if (!condition) planish::fail(ErrorCode::kUsage, "{}", what);
}

const planish::plan::Plan& plan_of(const planish_plan* plan) { return plan->session->plan(); }

const planish_value& output(planish_context* context, size_t index) {
  require(context != nullptr, "the context is NULL");
  require(!context->outputs.empty(), "there is no output before a run has succeeded");
  require(index < context->outputs.size(), "the output index is too large");
  return context->outputs[index];
}

planish::Tensor view_of(const planish_tensor* tensor) {
  require(tensor != nullptr, "the tensor is NULL");
  require(tensor->rank >= 0 && (tensor->rank == 0 || tensor->dims != nullptr),
          "the tensor has no dims");
  require(
      tensor->dtype > 0 && tensor->dtype < planish::kDTypeCount && tensor->dtype != PLANISH_STRING,
      "the tensor's dtype is unknown or string (use planish_value_strings)");
  const auto dtype = static_cast<planish::DType>(tensor->dtype);
  planish::Dims dims(tensor->dims, tensor->dims + tensor->rank);
  const int64_t want = planish::byte_count(dtype, planish::element_count(dims));
  if (want != static_cast<int64_t>(tensor->bytes) || (want > 0 && tensor->data == nullptr)) {
    planish::fail(ErrorCode::kInvalidInput, "{} of shape {} takes {} bytes, given {}",
                  to_string(dtype), planish::dims_to_string(dims), want,
                  tensor->data == nullptr ? 0 : tensor->bytes);
  }
  return planish::Tensor::borrow(dtype, std::move(dims), tensor->data);
}

// Tensors are seen in place; strings and nested values are copied once.
planish::Value view_of(const planish::Value& value) {
  return value.is_tensor() ? planish::Value(value.tensor().view()) : value;
}

// The handle for a part of `whole`, made of `view` on first use. `view` must not look into a
// temporary: a Tensor turns into a Value by copying.
const planish_value& part(const planish_value& whole,
                          size_t index,
                          size_t count,
                          planish::Value view) {
  whole.items.resize(count);
  auto& item = whole.items[index];
  if (item == nullptr) {
    item = std::make_unique<planish_value>();
    item->value = std::move(view);
  }
  return *item;
}

}  // namespace

void planish_options_init(planish_options* options) {
  *options = {};
  options->size = sizeof(planish_options);
  options->optimise = 1;
}

planish_status planish_open(const char* path, const planish_options* options, planish_plan** plan) {
  return guarded([&] {
    require(path != nullptr && plan != nullptr, "path and plan must not be NULL");
    planish::api::LoadOptions load;
    if (options != nullptr) {
      require(options->size == sizeof(planish_options),
              "options->size is not that of this version (use planish_options_init)");
      require(options->threads >= 0 && options->max_memory >= 0,
              "threads and max_memory must not be negative");
      load.threads = options->threads;
      load.max_memory = options->max_memory;
      load.passes.enabled = options->optimise != 0;
      if (options->provider != nullptr) load.provider = options->provider;
      load.keep_denormals = options->keep_denormals != 0;
      load.strict = options->strict != 0;
    }
    *plan = new planish_plan{planish::api::Session::open(path, load)};
  });
}

void planish_close(planish_plan* plan) { delete plan; }

size_t planish_input_count(const planish_plan* plan) { return plan_of(plan).inputs.size(); }
size_t planish_output_count(const planish_plan* plan) { return plan_of(plan).outputs.size(); }
const char* planish_input_name(const planish_plan* plan, size_t index) {
  return index < plan_of(plan).inputs.size() ? plan_of(plan).inputs[index].name.c_str() : nullptr;
}
const char* planish_input_type(const planish_plan* plan, size_t index) {
  return index < plan_of(plan).inputs.size() ? plan_of(plan).inputs[index].type.c_str() : nullptr;
}
const char* planish_output_name(const planish_plan* plan, size_t index) {
  return index < plan_of(plan).outputs.size() ? plan_of(plan).outputs[index].name.c_str() : nullptr;
}
const char* planish_output_type(const planish_plan* plan, size_t index) {
  return index < plan_of(plan).outputs.size() ? plan_of(plan).outputs[index].type.c_str() : nullptr;
}

int64_t planish_input_bound(const planish_plan* plan, size_t index) {
  return index < plan_of(plan).inputs.size() ? plan_of(plan).inputs[index].bound : 0;
}
int planish_threads(const planish_plan* plan) { return plan->session->threads(); }
const char* planish_note(const planish_plan* plan, size_t index) {
  return index < plan->session->notes().size() ? plan->session->notes()[index].c_str() : nullptr;
}

planish_status planish_context_create(planish_plan* plan, planish_context** context) {
  return guarded([&] {
    require(plan != nullptr && context != nullptr, "plan and context must not be NULL");
    auto made = std::make_unique<planish_context>();
    made->plan = plan;
    made->context = plan->session->make_context();
    *context = made.release();
  });
}

void planish_context_destroy(planish_context* context) { delete context; }

planish_status planish_value_tensor(const planish_tensor* tensor, planish_value** value) {
  return guarded([&] {
    require(value != nullptr, "value must not be NULL");
    *value = new planish_value{view_of(tensor), {}};
  });
}

planish_status planish_value_strings(int32_t rank,
                                     const int64_t* dims,
                                     const char* const* strings,
                                     const size_t* lengths,
                                     planish_value** value) {
  return guarded([&] {
    require(value != nullptr, "value must not be NULL");
    require(rank >= 0 && (rank == 0 || dims != nullptr), "the tensor has no dims");
    planish::Dims shape(dims, dims + rank);
    const int64_t count = planish::element_count(shape);
    require(count == 0 || (strings != nullptr && lengths != nullptr),
            "strings and lengths must not be NULL");
    std::vector<std::string> items;
    for (int64_t i = 0; i < count; ++i) items.emplace_back(strings[i], lengths[i]);
    *value =
        new planish_value{planish::Tensor::from_strings(std::move(shape), std::move(items)), {}};
  });
}

planish_status planish_value_sequence(const planish_value* const* items,
                                      size_t count,
                                      planish_value** value) {
  return guarded([&] {
    require(value != nullptr && (count == 0 || items != nullptr),
            "items and value must not be NULL");
    planish::Sequence sequence;
    for (size_t i = 0; i < count; ++i) sequence.push_back(items[i]->value);
    *value = new planish_value{std::move(sequence), {}};
  });
}

planish_status planish_value_empty(planish_value** value) {
  return guarded([&] {
    require(value != nullptr, "value must not be NULL");
    *value = new planish_value;
  });
}

void planish_value_destroy(planish_value* value) { delete value; }

planish_kind planish_value_kind(const planish_value* value) {
  return value->value.is_tensor()     ? PLANISH_TENSOR
         : value->value.is_sequence() ? PLANISH_SEQUENCE
         : value->value.is_map()      ? PLANISH_MAP
                                      : PLANISH_EMPTY;
}

planish_status planish_value_get_tensor(const planish_value* value, planish_tensor* tensor) {
  return guarded([&] {
    require(value != nullptr && tensor != nullptr, "value and tensor must not be NULL");
    const planish::Tensor& t = value->value.tensor();
    tensor->dtype = static_cast<int32_t>(t.dtype());
    tensor->rank = t.rank();
    tensor->dims = t.dims().data();
    tensor->data = t.dtype() == planish::DType::kString ? nullptr : const_cast<std::byte*>(t.raw());
    tensor->bytes = static_cast<size_t>(t.bytes());
  });
}

planish_status planish_value_string(const planish_value* value,
                                    size_t element,
                                    const char** text,
                                    size_t* length) {
  return guarded([&] {
    require(value != nullptr && text != nullptr && length != nullptr,
            "value, text and length must not be NULL");
    const planish::Tensor& t = value->value.tensor();
    require(t.dtype() == planish::DType::kString, "the value holds no strings");
    require(element < t.strings().size(), "the element index is too large");
    *text = t.strings()[element].data();
    *length = t.strings()[element].size();
  });
}

size_t planish_value_count(const planish_value* value) {
  return value->value.is_sequence() ? value->value.sequence().size() : 0;
}

planish_status planish_value_item(const planish_value* value,
                                  size_t index,
                                  const planish_value** item) {
  return guarded([&] {
    require(value != nullptr && item != nullptr, "value and item must not be NULL");
    const planish::Sequence& sequence = value->value.sequence();
    require(index < sequence.size(), "the item index is too large");
    *item = &part(*value, index, sequence.size(), view_of(sequence[index]));
  });
}

planish_status planish_value_map(const planish_value* value,
                                 const planish_value** keys,
                                 const planish_value** values) {
  return guarded([&] {
    require(value != nullptr && keys != nullptr && values != nullptr,
            "value, keys and values must not be NULL");
    const planish::MapValue& map = value->value.map();
    *keys = &part(*value, 0, 2, map.keys.view());
    *values = &part(*value, 1, 2, map.values.view());
  });
}

planish_status planish_set_tensor(planish_context* context,
                                  size_t index,
                                  const planish_tensor* tensor) {
  return guarded([&] {
    require(context != nullptr, "the context is NULL");
    const planish::Tensor view = view_of(tensor);
    context->context->set_input(index, view.raw(), view.dtype(), view.dims());
  });
}

planish_status planish_set_value(planish_context* context,
                                 size_t index,
                                 const planish_value* value) {
  return guarded([&] {
    require(context != nullptr && value != nullptr, "context and value must not be NULL");
    context->context->set_input(index, value->value);
  });
}

const char* planish_run_note(const planish_context* context, size_t index) {
  return index < context->notes.size() ? context->notes[index].c_str() : nullptr;
}

planish_status planish_run(planish_context* context) {
  return guarded([&] {
    require(context != nullptr, "the context is NULL");
    context->outputs.clear();
    context->notes.clear();
    context->context->run();
    context->notes = context->context->notes();
    if (!context->notes.empty() && context->plan->session->strict())
      planish::fail(ErrorCode::kMismatch, "{} (--strict)", context->notes[0]);
    for (size_t i = 0; i < plan_of(context->plan).outputs.size(); ++i) {
      context->outputs.push_back({context->context->output(i), {}});
    }
  });
}

void planish_cancel(planish_context* context) { context->context->cancel(); }

planish_status planish_output(planish_context* context, size_t index, const planish_value** value) {
  return guarded([&] {
    require(value != nullptr, "value must not be NULL");
    *value = &output(context, index);
  });
}

planish_status planish_output_tensor(planish_context* context,
                                     size_t index,
                                     planish_tensor* tensor) {
  const planish_value* value = nullptr;
  const planish_status status = planish_output(context, index, &value);
  return status == PLANISH_OK ? planish_value_get_tensor(value, tensor) : status;
}

const char* planish_last_error(void) { return last_error.c_str(); }
const char* planish_version(void) { return PLANISH_VERSION; }
