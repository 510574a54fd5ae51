import { adapterRequestsOf } from './adapter-requests.ts'

const series = (running: string, waiting: string, at: string) =>
  `vllm:lora_requests_info{max_lora="4",running_lora_adapters="${running}",waiting_lora_adapters="${waiting}"} ${at}`

it('reads the newest series', () => {
  const text = ['# TYPE vllm:lora_requests_info gauge', series('a', '', '1.7e9'), series('b,c', 'd', '1.8e9'), 'x 1']
  expect(adapterRequestsOf(text.join('\n'))).toEqual({ running: new Set(['b', 'c']), waiting: new Set(['d']) })
})

it('knows nothing of an engine that does not say it', () => {
  expect(adapterRequestsOf('vllm:num_requests_running 3\n')).toBeNull()
})

it('reads an engine that had no requests yet', () => {
  expect(adapterRequestsOf(series('', '', '0.0'))).toEqual({ running: new Set(), waiting: new Set() })
})
