import { type Attributes, markFailed, recordedSpan, type Span, startClientSpan } from '@ratchet/telemetry/spans'
import type { Deployment } from '../../routing/deployment.ts'
import type { ProviderRequest } from '../../wire/provider.ts'
import type { Usage } from '../../wire/usage.ts'
import { readAnswerFacts } from './answer-facts.ts'
import type { AttemptWatch, WatchCalls, WatchedAnswer } from './attempt-watch.ts'
import { genAiOperation, genAiProvider } from './gen-ai-names.ts'

export interface ProviderSpansOptions {
  /** True when the catalog lists the model itself. Spans of other models are named by their provider. */
  readonly isListed: (modelId: string) => boolean
}

const notRecorded: AttemptWatch = { streaming() {}, answered() {}, failed() {} }
const watchNothing = () => notRecorded

/**
 * Makes a span of each call of a provider, by OpenTelemetry's conventions for generative AI. No `traceparent` is sent
 * to the provider, because trace ids are not for third parties. No span contains prompts, answers or keys.
 */
export function createProviderSpans({ isListed }: ProviderSpansOptions): WatchCalls {
  return () => {
    const parent = recordedSpan()
    if (parent === null) return watchNothing
    return (request, deployment) => watchSpan(startAttemptSpan(parent, { request, deployment, isListed }), request)
  }
}

interface Attempt extends ProviderSpansOptions {
  readonly request: ProviderRequest
  readonly deployment: Deployment
}

function startAttemptSpan(parent: Span, { request, deployment, isListed }: Attempt): Span {
  const { model, dialect } = request
  const named = isListed(model.id) ? model.upstreamModel : model.provider
  return startClientSpan(parent, `${genAiOperation(dialect)} ${named}`, requestAttributes(request, deployment))
}

function watchSpan(span: Span, request: ProviderRequest): AttemptWatch {
  const startedMs = performance.now()
  return {
    streaming: () => {
      span.setAttribute('gen_ai.response.time_to_first_chunk', (performance.now() - startedMs) / 1_000)
    },
    answered(answer) {
      span.setAttributes(answerAttributes(request, answer))
      span.end()
    },
    failed({ kind }) {
      markFailed(span, kind)
      span.end()
    },
  }
}

function requestAttributes({ dialect, model, stream }: ProviderRequest, { host }: Deployment) {
  return {
    'gen_ai.operation.name': genAiOperation(dialect),
    'gen_ai.provider.name': genAiProvider(model.provider),
    'gen_ai.request.model': model.upstreamModel,
    'gen_ai.request.stream': stream,
    ...(host === null ? {} : { 'server.address': host }),
  }
}

function answerAttributes(
  { dialect, model: { upstreamModel } }: ProviderRequest,
  { usage, read }: WatchedAnswer,
): Attributes {
  const bytes = read()
  const { model, finishReasons } =
    bytes === null ? { model: null, finishReasons: [] } : readAnswerFacts({ dialect, upstreamModel }, bytes)
  return {
    ...(usage === null ? {} : usageAttributes(usage)),
    ...(model === null ? {} : { 'gen_ai.response.model': model }),
    ...(finishReasons.length === 0 ? {} : { 'gen_ai.response.finish_reasons': [...finishReasons] }),
  }
}

function usageAttributes(usage: Usage): Attributes {
  return {
    'gen_ai.usage.input_tokens': usage.promptTokens,
    'gen_ai.usage.output_tokens': usage.completionTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedPromptTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
  }
}
