/* The C interface of Planish: load a plan (or a model), describe it, bind values, run it.
 *
 *   planish_plan* plan;
 *   planish_context* context;
 *   if (planish_open("model.plan", NULL, &plan) != PLANISH_OK) die(planish_last_error());
 *   planish_context_create(plan, &context);
 *   planish_tensor x = {PLANISH_FLOAT32, 4, (int64_t[]){1, 3, 224, 224}, pixels, bytes};
 *   planish_set_tensor(context, 0, &x);
 *   if (planish_run(context) != PLANISH_OK) die(planish_last_error());
 *   planish_tensor y;
 *   planish_output_tensor(context, 0, &y);        // y.data is valid until the next run
 *
 * Results: every function that can fail returns a planish_status; the text of the last failure on
 * this thread is planish_last_error() (names input, node or file). Output parameters are written on
 * success only.
 * Ownership: what a *_create or *_open function gives is the caller's to destroy; strings and
 * pointers that describe an object live as long as the object.
 * Threads: a plan may be shared by any number of threads; a context serves one run at a time. Make
 * one context per concurrent request; contexts of one plan share its worker threads.
 */
#ifndef PLANISH_PLANISH_H_
#define PLANISH_PLANISH_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define PLANISH_API __attribute__((visibility("default")))

typedef enum planish_status {
  PLANISH_OK = 0,
  PLANISH_USAGE = 1, /* a wrong argument */
  PLANISH_INVALID_MODEL = 2,
  PLANISH_INVALID_PLAN = 3,
  PLANISH_INVALID_INPUT = 4, /* name, type or shape of an input does not fit */
  PLANISH_UNSUPPORTED = 5,
  PLANISH_IO = 6,
  PLANISH_OUT_OF_MEMORY = 7,
  PLANISH_DATA = 8, /* a value leaves an operator undefined: index out of range, ... */
  PLANISH_CANCELLED = 9,
  PLANISH_DEADLINE = 10,
  PLANISH_MISMATCH = 11, /* a check against the reference did not hold */
  PLANISH_INTERNAL = 12
} planish_status;

/* Element types; the numbers are those of ONNX's TensorProto.DataType. */
typedef enum planish_dtype {
  PLANISH_UNDEFINED = 0,
  PLANISH_FLOAT32 = 1,
  PLANISH_UINT8 = 2,
  PLANISH_INT8 = 3,
  PLANISH_UINT16 = 4,
  PLANISH_INT16 = 5,
  PLANISH_INT32 = 6,
  PLANISH_INT64 = 7,
  PLANISH_STRING = 8,
  PLANISH_BOOL = 9,
  PLANISH_FLOAT16 = 10,
  PLANISH_FLOAT64 = 11,
  PLANISH_UINT32 = 12,
  PLANISH_UINT64 = 13,
  PLANISH_BFLOAT16 = 16
} planish_dtype;

typedef struct planish_plan planish_plan;
typedef struct planish_context planish_context;

typedef struct planish_options {
  size_t size;        /* sizeof(planish_options), so that fields can be added */
  int threads;        /* workers of a run, the calling thread included; 0: as the plan was built */
  int64_t max_memory; /* bytes of intermediate values a context may hold; 0: no limit */
  int optimise;       /* for .onnx files: 0 leaves all passes out */
  int keep_denormals; /* 1: denormal numbers are not flushed to zero */
  const char* provider; /* for .onnx files: first choice, "cpu" or "reference"; NULL: "cpu" */
  int strict;           /* 1: what is accepted with a note though ONNX forbids it is an error */
} planish_options;

/* The defaults: threads 0, no limit, optimise 1, denormals flushed. */
PLANISH_API void planish_options_init(planish_options* options);

/* A dense tensor in row-major order. `data` holds the packed elements (`bytes` of them); strings
 * are not held in this form. */
typedef struct planish_tensor {
  int32_t dtype;
  int32_t rank;
  const int64_t* dims;
  void* data;
  size_t bytes;
} planish_tensor;

/* Opens a .plan (mapped, every byte checked), or builds one in memory from an .onnx without the
 * comparison with the reference. `options` may be NULL. */
PLANISH_API planish_status planish_open(const char* path,
                                        const planish_options* options,
                                        planish_plan** plan);
PLANISH_API void planish_close(planish_plan* plan); /* after its contexts; NULL is fine */

PLANISH_API size_t planish_input_count(const planish_plan* plan);
PLANISH_API size_t planish_output_count(const planish_plan* plan);
/* NULL when the index is too large. Types read like "float32[N, 3, 224, 224]". */
PLANISH_API const char* planish_input_name(const planish_plan* plan, size_t index);
PLANISH_API const char* planish_input_type(const planish_plan* plan, size_t index);
PLANISH_API const char* planish_output_name(const planish_plan* plan, size_t index);
PLANISH_API const char* planish_output_type(const planish_plan* plan, size_t index);

/* Integer inputs that are used as indices: values must lie in [0, bound). 0: no bound is known. */
PLANISH_API int64_t planish_input_bound(const planish_plan* plan, size_t index);
PLANISH_API int planish_threads(const planish_plan* plan);
/* Remarks about the model or plan, one sentence each; NULL when the index is too large. */
PLANISH_API const char* planish_note(const planish_plan* plan, size_t index);

PLANISH_API planish_status planish_context_create(planish_plan* plan, planish_context** context);
PLANISH_API void planish_context_destroy(planish_context* context);

/* --- values: tensors, strings, sequences, maps, empty optionals */
typedef struct planish_value planish_value;

typedef enum planish_kind {
  PLANISH_EMPTY = 0,  /* an optional without content */
  PLANISH_TENSOR = 1, /* strings included */
  PLANISH_SEQUENCE = 2,
  PLANISH_MAP = 3
} planish_kind;

/* A view: the data must stay as long as the value is used. */
PLANISH_API planish_status planish_value_tensor(const planish_tensor* tensor,
                                                planish_value** value);
/* One pointer and one length in bytes per element; copied. */
PLANISH_API planish_status planish_value_strings(int32_t rank,
                                                 const int64_t* dims,
                                                 const char* const* strings,
                                                 const size_t* lengths,
                                                 planish_value** value);
/* Copies the items (tensors among them stay views). count 0 makes an empty sequence. */
PLANISH_API planish_status planish_value_sequence(const planish_value* const* items,
                                                  size_t count,
                                                  planish_value** value);
PLANISH_API planish_status planish_value_empty(planish_value** value);
PLANISH_API void planish_value_destroy(planish_value* value);

PLANISH_API planish_kind planish_value_kind(const planish_value* value);
/* For a string tensor `data` is NULL; read its elements with planish_value_string. */
PLANISH_API planish_status planish_value_get_tensor(const planish_value* value,
                                                    planish_tensor* tensor);
PLANISH_API planish_status planish_value_string(const planish_value* value,
                                                size_t element,
                                                const char** text,
                                                size_t* length);
PLANISH_API size_t
planish_value_count(const planish_value* value); /* items of a sequence, else 0 */
PLANISH_API planish_status planish_value_item(const planish_value* value,
                                              size_t index,
                                              const planish_value** item);
/* Both one-dimensional tensors of equal length. */
PLANISH_API planish_status planish_value_map(const planish_value* value,
                                             const planish_value** keys,
                                             const planish_value** values);

/* --- binding and running */
/* The data is viewed, not copied: it must stay until the run has ended. */
PLANISH_API planish_status planish_set_tensor(planish_context* context,
                                              size_t index,
                                              const planish_tensor* tensor);
PLANISH_API planish_status planish_set_value(planish_context* context,
                                             size_t index,
                                             const planish_value* value);

PLANISH_API planish_status planish_run(planish_context* context);
/* After a run: remarks about it, one sentence each (an output whose shape is not the declared one);
 * valid until the next run. NULL when the index is too large. */
PLANISH_API const char* planish_run_note(const planish_context* context, size_t index);
/* From another thread: the run in progress returns PLANISH_CANCELLED. */
PLANISH_API void planish_cancel(planish_context* context);

/* After a run. What is given is valid until the next run or the context's end. */
PLANISH_API planish_status planish_output(planish_context* context,
                                          size_t index,
                                          const planish_value** value);
PLANISH_API planish_status planish_output_tensor(planish_context* context,
                                                 size_t index,
                                                 planish_tensor* tensor);

/* The text of the last failure on this thread; "" when there was none. */
PLANISH_API const char* planish_last_error(void);
/* "0.1.0" */
PLANISH_API const char* planish_version(void);

#if defined(__cplusplus)
} /* extern "C" */
#endif

#endif /* PLANISH_PLANISH_H_ */
