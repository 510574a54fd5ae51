import { modelOfFamily } from '@ratchet/contracts/family-rules'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { globsOf, requireAllowed } from '../budgets/allowed-models.ts'
import type { CatalogModel } from '../catalog/catalog.ts'
import { isDedicated } from '../dedicated/dedicated-route.ts'
import { modelOfArm, pickArm } from '../routing/pick-arm.ts'
import { isCallable, type ModelDirectory, requireModel } from '../routing/require-model.ts'
import type { Surface } from '../surfaces/surface.ts'
import { answerLimits } from '../wire/answer-limits.ts'
import { exactEdits } from '../wire/json/exact-json.ts'
import type { Leniency } from '../wire/leniency.ts'
import { Refusal } from '../wire/refusal.ts'
import type { AliasRoute, ChosenRoute } from '../workspace-settings/alias-route.ts'
import type { Candidate, Candidates } from './call-models.ts'
import { fitToModel, withEdits } from './fit-to-model.ts'
import type { ParsedBody } from './parse-body.ts'
import type { ParsedRequest } from './request-records.ts'

/** What decides about the models that may answer. */
export type PlannableRequest = Pick<
  ParsedRequest,
  | 'bytes'
  | 'scan'
  | 'body'
  | 'surface'
  | 'facts'
  | 'settings'
  | 'identity'
  | 'requestId'
  | 'traceId'
  | 'segment'
  | 'isStrict'
  | 'hints'
  | 'reserveAnswer'
>

/**
 * The models that may answer a request, in order and each once. They are the requested model, followed by the fallbacks
 * that the request names, or by those of the workspace when it names none. Each name may be an alias of the workspace.
 * The first model must fit the request, apart from labels that it has nothing like. A fallback gets the request without
 * the parameters that it does not have; a fallback of the workspace that cannot be called, or not by
 * this key, is left out.
 *
 * @throws ServiceError naming the model or the parameter that is wrong
 */
export function planCandidates(deps: ModelDirectory, parsed: PlannableRequest): Candidates {
  const { fallbackModels } = parsed.facts
  const first = planFirst(deps, parsed)
  const fallbacks =
    fallbackModels.length === 0
      ? workspaceFallbacks(deps, parsed)
      : fallbackModels.map((name) => candidateNamed(deps, parsed, { name, isFallback: true }))
  if (fallbacks.length === 0) return [first]
  const rest = new Map(fallbacks.map((candidate) => [candidate.request.model.id, candidate]))
  rest.delete(first.request.model.id)
  return [first, ...rest.values()]
}

/**
 * The requested model alone, for a request that no model is called for. Each candidate costs a copy of the body.
 *
 * @throws ServiceError naming the model or the parameter that is wrong
 */
export function planFirst(deps: ModelDirectory, parsed: PlannableRequest): Candidate {
  return candidateNamed(deps, parsed, { name: parsed.facts.requestedModel, isFallback: false })
}

/** An alias hides a catalog model of the same name. The model that an alias routes to is never an alias itself. */
function candidateNamed(deps: ModelDirectory, parsed: PlannableRequest, { name, isFallback }: NamedModel): Candidate {
  const { model: routed, alias } = routeNamed(parsed, name)
  const model = requireModel(deps, parsed.settings, routed)
  // An alias is allowed by its name alone: who may change it decides what it stands for.
  requireAllowed(globsOf(parsed), alias === null ? [name, model.id] : [name])
  return candidateOf(deps, parsed, { model, alias, isFallback })
}

function routeNamed(
  parsed: PlannableRequest,
  name: string,
): { readonly model: string; readonly alias: ChosenRoute | null } {
  const route = parsed.settings.aliases.get(name)
  return route === undefined ? { model: name, alias: null } : routeOf(route, parsed)
}

interface NamedModel {
  /** A model or an alias. */
  readonly name: string
  readonly isFallback: boolean
}

/** The model to which an alias routes a request: that of a rule for its family, else that of its arm. */
function routeOf(route: AliasRoute, parsed: RoutedRequest): { readonly model: string; readonly alias: ChosenRoute } {
  const { id, name, epoch, familyRules } = route
  const ruled = parsed.segment === null ? null : modelOfFamily(familyRules, parsed.segment)
  if (ruled !== null) return { model: ruled, alias: { id, name, epoch, arm: null } }
  const arm = pickArm(route, parsed)
  return { model: modelOfArm(route, arm), alias: { id, name, epoch, arm } }
}

type RoutedRequest = Pick<PlannableRequest, 'requestId' | 'traceId' | 'segment'>

/** How an alias routes a request. */
export function chosenRoute(route: AliasRoute, request: RoutedRequest): ChosenRoute {
  return routeOf(route, request).alias
}

function candidateOf(
  deps: ModelDirectory,
  parsed: PlannableRequest,
  { model, alias, isFallback }: Pick<Candidate, 'alias'> & { model: CatalogModel; isFallback: boolean },
): Candidate {
  const { requestId, surface, identity, settings, facts, hints, reserveAnswer: reserve } = parsed
  const { dialect } = surface
  refuseOtherKind(surface, model)
  const leniency = leniencyOf(parsed, isFallback)
  const { bytes, scan, body } = fitToModel(withoutUnpriced(parsed, leniency), { surface, model, leniency })
  const requested = { ...facts, model, dialect, items: facts.prompt.items, requestBytes: bytes.length }
  const limits = { ...answerLimits(requested), reserve }
  const request = { requestId, dialect, model, bytes, scan, body, stream: facts.stream, limits, hints, leniency }
  const { deployments, budget } = deps.directory.deploymentsOf(model, { workspaceId: identity.workspaceId, settings })
  return { request, deployments, budget, alias }
}

/** @throws ServiceError naming what has no price, when it cannot be left out */
function withoutUnpriced(parsed: PlannableRequest, leniency: Leniency | undefined): ParsedBody {
  try {
    return withEdits(
      parsed,
      exactEdits(parsed, (body) => parsed.surface.withoutUnpriced?.(body, leniency) ?? {}),
    )
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, message, param } = error
    throw new ServiceError(code, message, { param })
  }
}

/** A fallback is better without a parameter than not called, even for a client that wants refusals. */
function leniencyOf({ isStrict }: PlannableRequest, isFallback: boolean): Leniency | undefined {
  return isStrict && !isFallback ? undefined : { dropsParameters: isFallback, dropped: new Set() }
}

function refuseOtherKind({ serves }: Surface, { kind, id }: CatalogModel): void {
  if (kind === serves) return
  throw new ServiceError('invalid_request', `${id} is not a model for ${serves}.`, { param: 'model' })
}

function workspaceFallbacks(deps: ModelDirectory, parsed: PlannableRequest): readonly Candidate[] {
  // What is sent to an endpoint of its own, a workspace does not want elsewhere, and nothing gets there by accident.
  if (isDedicated(parsed.facts.requestedModel)) return []
  return (
    parsed.settings.fallbackModels
      .filter((name) => !isDedicated(name))
      .filter((name) => name !== parsed.facts.requestedModel)
      // The message of a refusal takes time, and here no client reads it.
      .filter((name) => isCallable(deps, parsed.settings, routeNamed(parsed, name).model))
      .flatMap((name) => {
        try {
          return [candidateNamed(deps, parsed, { name, isFallback: true })]
        } catch (error) {
          if (error instanceof ServiceError) return []
          throw error
        }
      })
  )
}
