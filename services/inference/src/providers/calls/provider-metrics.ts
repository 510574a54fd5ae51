import { LabelledHistogram } from '@ratchet/telemetry/labelled-histogram'
import type { Registry } from '@ratchet/telemetry/metrics'
import type { Deployment } from '../../routing/deployment.ts'
import type { ProviderRequest } from '../../wire/provider.ts'
import type { WatchCalls } from './attempt-watch.ts'
import { genAiOperation, genAiProvider } from './gen-ai-names.ts'

export interface ProviderMetricsOptions {
  readonly registry: Registry
  /**
   * True when the catalog lists the model itself. Clients can invent any number of members of a model family, which
   * must not become labels.
   */
  readonly isListed: (modelId: string) => boolean
  /** Milliseconds from any fixed point. */
  readonly clockMs: () => number
}

/** The boundaries of OpenTelemetry's conventions, in seconds and in tokens. */
const secondBuckets = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const tokenBuckets = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576]

const requestLabels = ['gen_ai_provider_name', 'gen_ai_operation_name', 'gen_ai_request_model'] as const
const timedLabels = [...requestLabels, 'key_owner'] as const

/**
 * Measures every call of a provider, under the names of OpenTelemetry's conventions for generative AI as Prometheus
 * writes them. `error_type` is empty for a call that was answered. `key_owner` separates the platform's calls from
 * those with a key or a host of a workspace, whose failures are not the platform's.
 */
export function createProviderMetrics({ registry, isListed, clockMs }: ProviderMetricsOptions): WatchCalls {
  const { seconds, firstChunk, tokens } = createHistograms(registry)
  const labelsOf = ({ model, dialect }: ProviderRequest) => ({
    gen_ai_provider_name: genAiProvider(model.provider),
    gen_ai_operation_name: genAiOperation(dialect),
    gen_ai_request_model: isListed(model.id) ? model.id : 'other',
  })
  const watch: ReturnType<WatchCalls> = (request, deployment) => {
    const startedMs = clockMs()
    const called = labelsOf(request)
    const labels = { ...called, key_owner: keyOwner(deployment) }
    const elapsed = () => (clockMs() - startedMs) / 1_000
    return {
      streaming: () => firstChunk.observe(labels, elapsed()),
      answered({ usage }) {
        seconds.observe({ ...labels, error_type: '' }, elapsed())
        if (usage === null) return
        tokens.observe({ ...called, gen_ai_token_type: 'input' }, usage.promptTokens)
        tokens.observe({ ...called, gen_ai_token_type: 'output' }, usage.completionTokens)
      },
      failed: ({ kind }) => seconds.observe({ ...labels, error_type: kind }, elapsed()),
    }
  }
  return () => watch
}

function keyOwner({ host }: Deployment): 'platform' | 'workspace' {
  return host === null ? 'workspace' : 'platform'
}

function createHistograms(registry: Registry) {
  return {
    seconds: new LabelledHistogram(registry, {
      name: 'gen_ai_client_operation_duration_seconds',
      help: 'Duration of calls of providers, from the request to the end of the answer; each attempt counts.',
      labelNames: [...timedLabels, 'error_type'] as const,
      buckets: secondBuckets,
    }),
    firstChunk: new LabelledHistogram(registry, {
      name: 'gen_ai_client_operation_time_to_first_chunk_seconds',
      help: 'Time of streamed calls of providers from the request to the first byte of the answer.',
      labelNames: timedLabels,
      buckets: secondBuckets,
    }),
    tokens: new LabelledHistogram(registry, {
      name: 'gen_ai_client_token_usage',
      help: 'Tokens of answered calls, as providers count them.',
      labelNames: [...requestLabels, 'gen_ai_token_type'] as const,
      buckets: tokenBuckets,
    }),
  }
}
