import { cacheUsedOf } from './cache-used.ts'

it.each([
  ['the present name', 'vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.25\n', 0.25],
  ['the former name', '# TYPE x gauge\nvllm:gpu_cache_usage_perc{model_name="m"} 1.0', 1],
  ['several parts', 'vllm:kv_cache_usage_perc{engine="0"} 0.1\nvllm:kv_cache_usage_perc{engine="1"} 5e-1', 0.5],
  ['no labels', 'vllm:kv_cache_usage_perc 0', 0],
  ['nothing', 'vllm:num_requests_running{engine="0"} 3', null],
  ['no number', 'vllm:kv_cache_usage_perc{engine="0"} NaN', null],
  ['too much', 'vllm:kv_cache_usage_perc{engine="0"} 25', null],
])('reads %s', (_what, text, used) => {
  expect(cacheUsedOf(text)).toBe(used)
})
