import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { modelOf } from '../../catalog/catalog.fixture.ts'
import type { Deployment } from '../../routing/deployment.ts'
import type { ProviderRequest } from '../../wire/provider.ts'
import { noUsage } from '../../wire/usage.ts'
import { createProviderMetrics } from './provider-metrics.ts'

const usage = { ...noUsage, promptTokens: 20, completionTokens: 5 }

function measured() {
  const { registry } = createProcessMetrics('test')
  const clock = { nowMs: 0 }
  const isListed = (id: string) => id === 'acme/fast'
  const watchCalls = createProviderMetrics({ registry, isListed, clockMs: () => clock.nowMs })
  const start = (id: string, host: string | null = 'api.acme.test') => {
    const request = { dialect: 'messages', model: { ...modelOf(), id, provider: 'google' } } as ProviderRequest
    return watchCalls()(request, { host } as Deployment)
  }
  const lines = async (pattern: RegExp) => (await registry.metrics()).split('\n').filter((line) => pattern.test(line))
  return { clock, start, lines }
}

it('measures the first byte, the end and the tokens of a streamed answer', async () => {
  const { clock, start, lines } = measured()
  const watch = start('acme/fast')
  clock.nowMs = 300
  watch.streaming()
  clock.nowMs = 2_000
  watch.answered({ usage, read: () => null })

  const labels = 'gen_ai_provider_name="gcp.gemini",gen_ai_operation_name="chat",gen_ai_request_model="acme/fast"'
  expect(await lines(/^gen_ai_\w+_sum/)).toEqual([
    `gen_ai_client_operation_duration_seconds_sum{${labels},key_owner="platform",error_type="",service="test"} 2`,
    `gen_ai_client_operation_time_to_first_chunk_seconds_sum{${labels},key_owner="platform",service="test"} 0.3`,
    `gen_ai_client_token_usage_sum{${labels},gen_ai_token_type="input",service="test"} 20`,
    `gen_ai_client_token_usage_sum{${labels},gen_ai_token_type="output",service="test"} 5`,
  ])
})

it('counts a failure by its kind, and all models outside the catalog as one', async () => {
  const { start, lines } = measured()
  for (const id of ['acme/ft:one', 'acme/ft:two']) {
    start(id).failed({ kind: 'throttled', message: 'busy', retryAfterMs: null })
  }
  const [line, ...others] = await lines(/^gen_ai_client_operation_duration_seconds_count/)
  expect(line).toContain('gen_ai_request_model="other",key_owner="platform",error_type="throttled",service="test"} 2')
  expect(others).toEqual([])
})

it('distinguishes calls to a host that a workspace brought', async () => {
  const { start, lines } = measured()
  start('acme/fast').answered({ usage: null, read: () => null })
  start('acme/fast', null).failed({ kind: 'unavailable', message: 'gone', retryAfterMs: null })

  const counts = await lines(/^gen_ai_client_operation_duration_seconds_count/)
  expect(counts.map((line) => /key_owner="(\w+)",error_type="(\w*)"/.exec(line)?.slice(1))).toEqual([
    ['platform', ''],
    ['workspace', 'unavailable'],
  ])
})
