import { ServiceError } from '@ratchet/service-kit/service-error'
import type { CatalogModel } from '../catalog/catalog.ts'
import { modelOfArm, pickArm } from '../routing/pick-arm.ts'
import { type ModelDirectory, requireModel } from '../routing/require-model.ts'
import type { RequestFacts, Surface } from '../surfaces/surface.ts'
import type { RequestHints } from '../wire/provider.ts'
import type { AliasRoute, ChosenArm } from '../workspace-settings/alias-route.ts'
import type { WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import type { Candidate } from './call-models.ts'
import type { FleetCall } from './fleet-call.ts'
import type { ReadRequest } from './read-request.ts'

export interface PlannedRequest extends ReadRequest {
  /** Id of the HTTP request, in the client's `X-Request-Id` and in every log line. */
  readonly requestId: string
  /** Id that the request is charged under; another one than `requestId` only under an `Idempotency-Key`. */
  readonly billingId: string
  readonly workspaceId: string
  readonly surface: Surface
  readonly facts: RequestFacts
  readonly settings: WorkspaceSettings
  /** Null for a client's own request. */
  readonly fleet: FleetCall | null
  /** Null when it names no trace. */
  readonly traceId: string | null
  readonly hints?: RequestHints
}

export type Candidates = readonly [Candidate, ...Candidate[]]

/**
 * The models that may answer, in order and none twice, whatever they were called: those the request names, else the
 * one it names and the workspace's fallbacks. Any of these names may be an alias of the workspace's.
 * What a request names has to fit it; a fallback of the workspace's that does not is passed over.
 *
 * @throws ServiceError naming the model or the parameter that is wrong
 */
export function planCandidates(deps: ModelDirectory, request: PlannedRequest): Candidates {
  const { facts, settings } = request
  const [first, ...others] = facts.models.map((name) => candidateNamed(deps, request, name))
  if (first === undefined) throw new ServiceError('invalid_request', 'model is required.', { param: 'model' })
  const isAlone = facts.models.length === 1
  const fallbacks = isAlone ? workspaceFallbacks(deps, request, settings.fallbackModels) : others
  const rest = new Map(fallbacks.map((candidate) => [candidate.request.model.id, candidate]))
  rest.delete(first.request.model.id)
  return [first, ...rest.values()]
}

/** Aliases come before the catalog, and end there: what one routes to is never another. */
function candidateNamed(deps: ModelDirectory, request: PlannedRequest, name: string): Candidate {
  const route = request.settings.aliases.get(name)
  if (route === undefined)
    return candidateOf(deps, request, { model: requireModel(deps, request.settings, name), alias: null })
  const alias = chosenArm(route, request)
  return candidateOf(deps, request, {
    model: requireModel(deps, request.settings, modelOfArm(route, alias.arm)),
    alias,
  })
}

/** The arm of an alias that a request falls to. */
export function chosenArm(route: AliasRoute, request: Pick<PlannedRequest, 'requestId' | 'traceId'>): ChosenArm {
  return { id: route.id, name: route.name, epoch: route.epoch, arm: pickArm(route, request) }
}

interface NamedModel {
  readonly model: CatalogModel
  readonly alias: ChosenArm | null
}

function candidateOf(deps: ModelDirectory, request: PlannedRequest, { model, alias }: NamedModel): Candidate {
  const { surface, workspaceId, settings } = request
  refuseUnfit(surface, model, request)
  const { requestId, bytes, scan, body, facts, hints } = request
  const asked = { requestId, dialect: surface.dialect, model, bytes, scan, body, stream: facts.stream }
  return {
    request: hints === undefined ? asked : { ...asked, hints },
    ...deps.directory.deploymentsOf(model, { workspaceId, settings }),
    alias,
  }
}

function refuseUnfit(surface: Surface, model: CatalogModel, { body }: ReadRequest): void {
  if (model.kind !== surface.serves) {
    throw new ServiceError('invalid_request', `${model.id} is not a model for ${surface.serves}.`, { param: 'model' })
  }
  const param = surface.unsupportedParameter(model, body)
  if (param === null) return
  throw new ServiceError('unsupported_parameter', `${model.id} does not support ${param}.`, { param })
}

function workspaceFallbacks(
  deps: ModelDirectory,
  request: PlannedRequest,
  names: readonly string[],
): readonly Candidate[] {
  return names
    .filter((name) => !request.facts.models.includes(name))
    .flatMap((name) => {
      try {
        return [candidateNamed(deps, request, name)]
      } catch (error) {
        if (error instanceof ServiceError) return []
        throw error
      }
    })
}
