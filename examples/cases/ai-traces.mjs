import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { OpenTelemetry } from '@ai-sdk/otel'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { generateText, Output, streamText, tool } from 'ai'
import { z } from 'zod'
import { access, isWhole, keptCall, origin, prompt, runCases } from './run-cases.mjs'

// The call itself is not logged, so that the entry in the log is that of the span.
const gateway = createOpenAICompatible({
  name: 'ratchet',
  supportsStructuredOutputs: true,
  includeUsage: true,
  headers: { 'X-Svc-Log': 'off' },
  ...access,
})
const inputSchema = z.object({ city: z.string() })
const weather = tool({ description: 'Weather.', inputSchema })

const exporter = new OTLPTraceExporter({
  url: `${origin}/v1/traces`,
  headers: { Authorization: `Bearer ${access.apiKey}` },
})

/** Makes one call with telemetry. @returns whether the log has it as a whole */
async function traced(model, call) {
  const traceIds = new Set()
  const noted = { onStart: (span) => traceIds.add(span.spanContext().traceId), onEnd() {}, forceFlush: async () => {} }
  const provider = new TracerProvider({ spanProcessors: [noted, new SimpleSpanProcessor({ exporter })] })
  const telemetry = { functionId: 'cases', integrations: [new OpenTelemetry({ tracer: provider.getTracer('cases') })] }
  await call({ model: gateway(model), prompt, maxRetries: 0, telemetry })
  await provider.forceFlush()
  if (traceIds.size !== 1) throw new Error(`${traceIds.size} traces`)
  return isWhole(await keptCall([...traceIds][0]))
}

await runCases({
  generateText: () => traced('sim/small', generateText),
  streamText: () => traced('sim/small', async (request) => await streamText(request).text),
  tools: () => traced('sim/tools', (request) => generateText({ ...request, tools: { weather } })),
  output: () =>
    traced('sim/small', (request) => generateText({ ...request, output: Output.object({ schema: inputSchema }) })),
})
