import type {
  CreateEnvironmentTool,
  ToolFromTraces,
  UpdateEnvironmentTool,
} from '@ratchet/contracts/environment-tools-body'
import type { HttpSettings, StaticSettings, ToolSettings } from './environment-tool.ts'

type HttpBody = NonNullable<CreateEnvironmentTool['http']>
type StaticBody = NonNullable<CreateEnvironmentTool['static']>

/** The settings of a tool that is created with its definition. */
export function newSettings(body: CreateEnvironmentTool): ToolSettings {
  const { http, static: fixed } = body
  return {
    ...commonOf(body),
    name: body.name,
    description: body.description,
    parameters: body.parameters,
    kind: body.kind,
    http: http === undefined ? null : httpOf(http),
    static: fixed === undefined ? null : staticOf(fixed),
    recorded: null,
  }
}

/** What was found out about the calls in traces. */
export interface FoundOut extends Pick<ToolSettings, 'description' | 'parameters'> {
  readonly recordings: number
  readonly coverage: number | null
}

/** The settings of a tool that is recorded from traces. */
export function recordedSettings(body: ToolFromTraces, found: FoundOut): ToolSettings {
  const { toolName, match, keyArguments, ignoreArguments, onMiss, http, static: fixed } = body
  const { recordings, coverage: coverageOnHoldout } = found
  return {
    ...commonOf(body),
    name: body.name ?? toolName,
    description: found.description,
    parameters: found.parameters,
    kind: 'recorded',
    http: http === undefined ? null : httpOf(http),
    static: fixed === undefined ? null : staticOf(fixed),
    recorded: { toolName, match, keyArguments, ignoreArguments, onMiss, recordings, coverageOnHoldout },
  }
}

function commonOf({ usableAs, sideEffects, maxCallsPerRollout }: CreateEnvironmentTool | ToolFromTraces) {
  return { usableAs: [...new Set(usableAs)], sideEffects, maxCallsPerRollout }
}

function httpOf({ secretHeaders, ...settings }: HttpBody): HttpSettings {
  return { ...settings, secretHeaderNames: Object.keys(secretHeaders) }
}

function staticOf({ result, cases, default: otherwise }: StaticBody): StaticSettings {
  const fixed = result === undefined ? otherwise : result
  return {
    cases: cases.map((each) => ({ when: each.when, result: JSON.stringify(each.result ?? null) })),
    otherwise: fixed === undefined ? null : JSON.stringify(fixed),
  }
}

/**
 * The settings after a change.
 *
 * @param secretHeaderNames of the headers that are sealed from now on
 */
export function changedSettings(
  present: ToolSettings,
  changes: UpdateEnvironmentTool,
  secretHeaderNames: readonly string[],
): ToolSettings {
  const { http, static: fixed, recorded } = changes
  const onMiss = recorded?.onMiss ?? present.recorded?.onMiss
  const isAsked = (block: 'http' | 'static') => present.kind === block || onMiss === block
  const address = changedHttp(present.http, http, secretHeaderNames)
  const cases = fixed === undefined ? present.static : staticOf(fixed)
  return {
    name: changes.name ?? present.name,
    description: changes.description ?? present.description,
    parameters: changes.parameters ?? present.parameters,
    kind: present.kind,
    // What a miss no longer asks is forgotten.
    http: isAsked('http') || http !== undefined ? address : null,
    static: isAsked('static') || fixed !== undefined ? cases : null,
    recorded: present.recorded === null ? null : { ...present.recorded, onMiss: onMiss ?? 'error' },
    usableAs: changes.usableAs === undefined ? present.usableAs : [...new Set(changes.usableAs)],
    sideEffects: changes.sideEffects ?? present.sideEffects,
    maxCallsPerRollout: changes.maxCallsPerRollout ?? present.maxCallsPerRollout,
  }
}

const newHttp = {
  method: 'POST',
  headers: {},
  timeoutMs: 10_000,
  maxResponseBytes: 16_384,
  maxConcurrency: 8,
  retries: 1,
} as const

function changedHttp(
  present: HttpSettings | null,
  changes: UpdateEnvironmentTool['http'],
  secretHeaderNames: readonly string[],
): HttpSettings | null {
  if (changes === undefined) return present
  const { secretHeaders: _sealed, ...given } = changes
  const known = present ?? { ...newHttp, url: '' }
  return {
    url: given.url ?? known.url,
    method: given.method ?? known.method,
    headers: given.headers ?? known.headers,
    timeoutMs: given.timeoutMs ?? known.timeoutMs,
    maxResponseBytes: given.maxResponseBytes ?? known.maxResponseBytes,
    maxConcurrency: given.maxConcurrency ?? known.maxConcurrency,
    retries: given.retries ?? known.retries,
    secretHeaderNames,
  }
}
