import { Counter, createProcessMetrics } from './metrics.ts'

it('separates two services in one process', async () => {
  const [edge, inference] = [createProcessMetrics('edge'), createProcessMetrics('inference')]

  edge.requestSeconds.observe(
    { http_request_method: 'GET', http_route: '/v1/models', http_response_status_code: '200' },
    0.004,
  )

  const texts = await Promise.all([edge.registry.metrics(), inference.registry.metrics()])
  const counted = texts.map((text) => /request_duration_seconds_count\{.*service="edge".*\} 1/.test(text))
  expect(counted).toEqual([true, false])
})

it('lets a service add its own metrics to the same page', async () => {
  const { registry } = createProcessMetrics('edge')

  new Counter({ name: 'ratchet_keys_refused_total', help: 'Refused.', registers: [registry] }).inc(3)

  expect((await registry.metrics()).includes('ratchet_keys_refused_total{service="edge"} 3')).toBe(true)
})

it('shows how long a turn of the event loop took, once', async () => {
  const { registry } = createProcessMetrics('edge')
  const longest = async () =>
    Number(/nodejs_eventloop_lag_max_seconds\{[^}]*\} (\S+)/.exec(await registry.metrics())?.[1])
  await new Promise(setImmediate)
  const until = performance.now() + 120
  while (performance.now() < until);
  await new Promise(setImmediate)

  expect(await longest()).toBeGreaterThan(0.1)
  expect(await longest()).toBeLessThan(0.1)
})
