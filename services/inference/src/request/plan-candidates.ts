import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { CatalogModel } from '../catalog/catalog.ts'
import { modelOfArm, pickArm, type SplitRequest } from '../routing/pick-arm.ts'
import { type ModelDirectory, requireModel } from '../routing/require-model.ts'
import { answerLimits } from '../wire/answer-limits.ts'
import type { AliasRoute, ChosenArm } from '../workspace-settings/alias-route.ts'
import type { Candidate, Candidates } from './call-models.ts'
import type { ParsedRequest } from './request-records.ts'

/**
 * The models that may answer a request, in order and each once. They are the requested model, followed by the fallbacks
 * that the request names, or by those of the workspace when it names none. Each name may be an alias of the workspace.
 * A model that the request names must fit it; a fallback of the workspace that does not fit is left out.
 *
 * @throws ServiceError naming the model or the parameter that is wrong
 */
export function planCandidates(deps: ModelDirectory, parsed: ParsedRequest): Candidates {
  const { requestedModel, fallbackModels } = parsed.facts
  const first = candidateNamed(deps, parsed, requestedModel)
  const fallbacks =
    fallbackModels.length === 0
      ? workspaceFallbacks(deps, parsed)
      : fallbackModels.map((name) => candidateNamed(deps, parsed, name))
  const rest = new Map(fallbacks.map((candidate) => [candidate.request.model.id, candidate]))
  rest.delete(first.request.model.id)
  return [first, ...rest.values()]
}

/** An alias hides a catalog model of the same name. The model that an alias routes to is never an alias itself. */
function candidateNamed(deps: ModelDirectory, parsed: ParsedRequest, modelOrAlias: string): Candidate {
  const route = parsed.settings.aliases.get(modelOrAlias)
  if (route === undefined) return candidateOf(deps, parsed, requireModel(deps, parsed.settings, modelOrAlias), null)
  const alias = chosenArm(route, parsed)
  return candidateOf(deps, parsed, requireModel(deps, parsed.settings, modelOfArm(route, alias.arm)), alias)
}

/** The arm of an alias that a request is assigned to. */
export function chosenArm(route: AliasRoute, request: SplitRequest): ChosenArm {
  return { id: route.id, name: route.name, epoch: route.epoch, arm: pickArm(route, request) }
}

function candidateOf(
  deps: ModelDirectory,
  parsed: ParsedRequest,
  model: CatalogModel,
  alias: ChosenArm | null,
): Candidate {
  refuseUnfit(parsed, model)
  const { requestId, surface, identity, settings, bytes, scan, body, facts, hints, reserveAnswer: reserve } = parsed
  const { dialect } = surface
  const requested = { ...facts, model, dialect, items: facts.prompt.items, requestBytes: bytes.length }
  const limits = { ...answerLimits(requested), reserve }
  const request = { requestId, dialect, model, bytes, scan, body, stream: facts.stream, limits }
  return {
    request: hints === undefined ? request : { ...request, hints },
    ...deps.directory.deploymentsOf(model, { workspaceId: identity.workspaceId, settings }),
    alias,
  }
}

function refuseUnfit({ surface, body }: ParsedRequest, model: CatalogModel): void {
  if (model.kind !== surface.serves) {
    throw new ServiceError('invalid_request', `${model.id} is not a model for ${surface.serves}.`, { param: 'model' })
  }
  const param = surface.unsupportedParameter(model, body)
  if (param === null) return
  throw new ServiceError('unsupported_parameter', `${model.id} does not support ${param}.`, { param })
}

function workspaceFallbacks(deps: ModelDirectory, parsed: ParsedRequest): readonly Candidate[] {
  return parsed.settings.fallbackModels
    .filter((name) => name !== parsed.facts.requestedModel)
    .flatMap((name) => {
      try {
        return [candidateNamed(deps, parsed, name)]
      } catch (error) {
        if (error instanceof ServiceError) return []
        throw error
      }
    })
}
