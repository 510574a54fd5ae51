import type { EnvironmentTool } from '@ratchet/contracts/environment-tools'
import { publicId } from '@ratchet/contracts/public-id'
import type { HttpSettings, RecordedSettings, ShownTool, StaticSettings } from './environment-tool.ts'

/** A tool as the API shows it: never with a secret. */
export function toolReply({ settings, stats, ...tool }: ShownTool): EnvironmentTool {
  const { http, static: fixed, recorded } = settings
  return {
    id: publicId('environmentTool', tool.toolId),
    object: 'environment_tool',
    name: settings.name,
    description: settings.description,
    parameters: { ...settings.parameters },
    kind: settings.kind,
    http: http === null ? null : httpReply(http),
    static: fixed === null ? null : staticReply(fixed),
    recorded: recorded === null ? null : recordedReply(recorded),
    usable_as: [...settings.usableAs],
    side_effects: settings.sideEffects,
    max_calls_per_rollout: settings.maxCallsPerRollout,
    stats,
    version: tool.version,
    created_at: tool.createdAt.toISOString(),
    updated_at: tool.updatedAt.toISOString(),
  }
}

function httpReply(http: HttpSettings) {
  return {
    url: http.url,
    method: http.method,
    headers: { ...http.headers },
    secret_header_names: [...http.secretHeaderNames],
    timeout_ms: http.timeoutMs,
    max_response_bytes: http.maxResponseBytes,
    max_concurrency: http.maxConcurrency,
    retries: http.retries,
  }
}

function staticReply({ cases, otherwise }: StaticSettings) {
  const shown = cases.map(({ when, result }) => ({ when: { ...when }, result: parsed(result) }))
  if (otherwise === null) return { cases: shown }
  return shown.length === 0 ? { result: parsed(otherwise), cases: shown } : { cases: shown, default: parsed(otherwise) }
}

function parsed(result: string): unknown {
  return JSON.parse(result)
}

function recordedReply(recorded: RecordedSettings) {
  return {
    tool_name: recorded.toolName,
    match: recorded.match,
    key_arguments: [...recorded.keyArguments],
    ignore_arguments: [...recorded.ignoreArguments],
    on_miss: recorded.onMiss,
    recordings: recorded.recordings,
    coverage_on_holdout: recorded.coverageOnHoldout,
  }
}
