import { isGeminiCall } from '@ratchet/contracts/gemini-errors'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { CleanTarget } from './clean-target.ts'

/** A target of this API, and the model that the client named in it. */
export interface OwnTarget {
  readonly target: CleanTarget
  /** Null when the body names the model, as in OpenAI's API. */
  readonly model: string | null
}

/** The name ends where one of the endpoints begins, because names of models contain slashes. */
const deploymentPath = /^\/openai\/deployments\/(.+?)\/(chat\/completions|completions|embeddings|responses)$/
const azurePath = /^\/openai\/(?:v1\/)?(.+)$/
/** What a header can hold. No model has another name. */
const modelName = /^[\x21-\x7e]{1,256}$/

/**
 * A target in the form of Azure OpenAI as the same target of this API: `/openai/v1/…`,
 * `/openai/deployments/<model>/…?api-version=…` and `/openai/…?api-version=…`. So is Gemini's API in the version `v1`, which its
 * newer clients call. Any other target stays.
 *
 * @throws ServiceError `invalid_request` for a name that no model can have
 */
export function ownTarget(target: CleanTarget): OwnTarget {
  if (!target.path.startsWith('/openai/')) return { target: geminiTarget(target), model: null }
  const query = withoutVersion(target.url.slice(target.path.length))
  const [, name, endpoint] = deploymentPath.exec(target.path) ?? []
  if (name !== undefined) return { target: below(endpoint ?? '', query), model: decodedName(name) }
  const [, rest] = azurePath.exec(target.path) ?? []
  return { target: rest === undefined ? target : below(rest, query), model: null }
}

/** Models of this API have no methods, so a method after a colon is Gemini's. */
function geminiTarget(target: CleanTarget): CleanTarget {
  const { path, url } = target
  if (!path.startsWith('/v1/models/') || !isGeminiCall(path)) return target
  const rest = '/v1'.length
  return { path: `/v1beta${path.slice(rest)}`, url: `/v1beta${url.slice(rest)}` }
}

function below(rest: string, query: string): CleanTarget {
  const path = `/v1/${rest}`
  return { path, url: path + query }
}

/** There is one version of this API. The endpoints that call a model have no query. */
function withoutVersion(query: string): string {
  const kept = query
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !/^api-version(?:=|$)/i.test(pair))
  return kept.length === 0 ? '' : `?${kept.join('&')}`
}

function decodedName(name: string): string {
  const decoded = decodedText(name)
  if (decoded !== null && modelName.test(decoded)) return decoded
  throw new ServiceError('invalid_request', 'The path does not hold the name of a model.', { param: 'deployment' })
}

/** Null for bytes that are not UTF-8. */
function decodedText(name: string): string | null {
  try {
    return decodeURIComponent(name)
  } catch {
    return null
  }
}
