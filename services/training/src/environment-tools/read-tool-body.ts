import {
  CreateEnvironmentTool,
  maxToolHeaders,
  TestToolArguments,
  ToolFromTraces,
  UpdateEnvironmentTool,
} from '@ratchet/contracts/environment-tools-body'
import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { webhookUrlProblem } from '@ratchet/http/check-webhook-url'
import type { SchemaChecks } from '@ratchet/judge-kit/schemas/schema-checks'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { FlatRefusal } from '../bodies/flat-refusal.ts'
import { readSpelled, type SpelledBody } from '../bodies/spelled-body.ts'

/** Fields whose keys and values are the user's. */
const opaque = new Set(['parameters', 'headers', 'secretHeaders', 'result', 'when', 'default', 'arguments'])

export interface BodyDeps {
  readonly rules: BaseUrlRules
  readonly checks: SchemaChecks
}

/** @throws FlatRefusal also for a `kind` without the block of its name, or with another one */
export function readCreateBody(deps: BodyDeps, sent: unknown): SpelledBody<typeof CreateEnvironmentTool> {
  const body = readSpelled(sent, {
    schema: CreateEnvironmentTool,
    opaque,
    check({ kind, ...blocks }) {
      const other = kind === 'http' ? 'static' : 'http'
      if (blocks[kind] === undefined) throw new FlatRefusal(`\`kind\` is \`${kind}\`, but there is no \`${kind}\`.`)
      if (blocks[other] !== undefined) throw new FlatRefusal(`\`kind\` is \`${kind}\`, but there is also \`${other}\`.`)
    },
  })
  return checked(deps, body)
}

/** @throws ServiceError `immutable_parameter` for `kind` */
export function readUpdateBody(deps: BodyDeps, sent: unknown): SpelledBody<typeof UpdateEnvironmentTool> {
  const body = readSpelled(sent, {
    schema: UpdateEnvironmentTool,
    opaque,
    check({ kind }) {
      if (kind === undefined) return
      throw new ServiceError('immutable_parameter', '`kind` cannot be changed; create another tool.', { param: 'kind' })
    },
  })
  return checked(deps, body)
}

export function readTracesBody(deps: BodyDeps, sent: unknown): SpelledBody<typeof ToolFromTraces> {
  const body = readSpelled(sent, {
    schema: ToolFromTraces,
    opaque,
    check({ keyArguments, ignoreArguments, onMiss, ...blocks }) {
      if (keyArguments.length > 0 && ignoreArguments.length > 0) {
        throw invalid('ignoreArguments', '`ignoreArguments` cannot be used together with `keyArguments`.')
      }
      requireMissBlock(onMiss, blocks)
    },
  })
  return checked(deps, body)
}

export function readTestBody(sent: unknown): SpelledBody<typeof TestToolArguments> {
  return readSpelled(sent, { schema: TestToolArguments, opaque })
}

/** @throws ServiceError when what answers a miss is not there, or something that is never asked is */
export function requireMissBlock(
  onMiss: ToolFromTraces['onMiss'],
  blocks: { readonly http?: unknown; readonly static?: unknown },
): void {
  for (const name of ['http', 'static'] as const) {
    const isThere = blocks[name] !== undefined && blocks[name] !== null
    if (isThere === (onMiss === name)) continue
    throw invalid(
      name,
      isThere ? `\`${name}\` needs \`onMiss: "${name}"\`.` : `\`onMiss: "${name}"\` needs \`${name}\`.`,
    )
  }
}

interface Blocks {
  readonly parameters?: unknown
  readonly http?: AddressBlock | undefined
  readonly static?: StaticBlock | undefined
}

interface AddressBlock {
  readonly url?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly secretHeaders?: Readonly<Record<string, string | null>> | undefined
}

interface StaticBlock {
  readonly result?: unknown
  readonly cases: readonly { readonly when: unknown }[]
  readonly default?: unknown
}

function checked<
  B extends
    | SpelledBody<typeof CreateEnvironmentTool>
    | SpelledBody<typeof UpdateEnvironmentTool>
    | SpelledBody<typeof ToolFromTraces>,
>(deps: BodyDeps, body: B): B {
  try {
    const { parameters, http, static: fixed }: Blocks = body.request
    if (parameters !== undefined && parameters !== null) requireSchema(deps, parameters, 'parameters')
    if (http !== undefined) requireAddress(deps, http)
    if (fixed !== undefined) requireCases(deps, fixed)
    return body
  } catch (error) {
    throw body.asSpelled(error)
  }
}

/** @throws ServiceError for a schema that cannot be used */
export function requireSchema({ checks }: Pick<BodyDeps, 'checks'>, schema: unknown, param: string): void {
  const problem = checks.problem(schema)
  if (problem !== null) throw unusable(param, problem)
}

function unusable(param: string, problem: string): ServiceError {
  return invalid(param, `\`${param}\` is no schema that can be used: ${problem}.`)
}

function requireAddress({ rules }: BodyDeps, { url, headers = {}, secretHeaders = {} }: AddressBlock): void {
  const reason = url === undefined ? null : webhookUrlProblem(url, rules)
  if (reason !== null) throw invalid('http.url', `\`http.url\` is not allowed: ${reason}.`)
  requireHeaders(Object.keys(headers), Object.keys(secretHeaders))
}

/** @throws ServiceError for a header that the service sets, one that is there twice, and more than a tool may have */
export function requireHeaders(open: readonly string[], sealed: readonly string[]): void {
  const names = [...open, ...sealed].map((name) => name.toLowerCase())
  const own = names.find((name) => ownHeaders.test(name))
  if (own !== undefined) throw invalid('http.headers', `The header ${own} is set by the service.`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw invalid('http.headers', `The header ${twice} is there twice.`)
  if (sealed.length > maxToolHeaders) throw invalid('http.secretHeaders', `At most ${maxToolHeaders} headers.`)
}

/** What frames a request, what says which one it is, and what would be sent to a proxy. */
const ownHeaders =
  /^(?:host|content-length|content-type|content-encoding|transfer-encoding|te|trailer|connection|keep-alive|upgrade|expect|accept-encoding|proxy-.*|webhook-.*)$/

/** Of the JSON of a static block: lists of tools have all of them. */
const maxStaticLength = 262_144

function requireCases(deps: BodyDeps, block: StaticBlock): void {
  const { result, cases, default: otherwise } = block
  if (JSON.stringify(block).length > maxStaticLength) {
    throw invalid('static', `\`static\` has more than ${maxStaticLength} characters.`)
  }
  if (result === undefined && cases.length === 0) throw invalid('static', '`static` needs `result` or `cases`.')
  if (result !== undefined && (cases.length > 0 || otherwise !== undefined)) {
    throw invalid('static.result', '`static.result` cannot be used together with `cases` and `default`.')
  }
  const wrong = deps.checks.firstProblem(cases.map(({ when }) => when))
  if (wrong !== null) throw unusable(`static.cases.${wrong.index}.when`, wrong.problem)
}

function invalid(param: string, message: string): ServiceError {
  return new ServiceError('invalid_request', message, { param })
}
