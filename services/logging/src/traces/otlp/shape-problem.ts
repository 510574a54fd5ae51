import { isAbsent, isObject } from '@ratchet/service-kit/values/json'

/**
 * The part of a request that has the wrong type. `path` is e.g. `resourceSpans.0.scopeSpans`, empty for the request
 * itself.
 */
export interface ShapeProblem {
  readonly path: string
  /** The required type. */
  readonly requested: 'an array' | 'an object' | 'there'
}

/**
 * Finds the first member of an ExportTraceServiceRequest, down to its lists of spans, that has the wrong type; null when
 * there is none. Spans themselves are not checked here, because an invalid span is rejected alone.
 */
export function shapeProblem(request: unknown): ShapeProblem | null {
  if (!isObject(request)) return { path: '', requested: 'an object' }
  if (request.resourceSpans === undefined) {
    // A request without any fields is an empty one; another kind of export is not.
    return Object.keys(request).length === 0 ? null : { path: 'resourceSpans', requested: 'there' }
  }
  return listProblem(request.resourceSpans, 'resourceSpans', (each, path) => {
    if (!isAbsent(each.resource) && !isObject(each.resource))
      return { path: `${path}.resource`, requested: 'an object' }
    return listProblem(each.scopeSpans, `${path}.scopeSpans`, ({ spans }, scope) =>
      isAbsent(spans) || Array.isArray(spans) ? null : { path: `${scope}.spans`, requested: 'an array' },
    )
  })
}

function listProblem(
  list: unknown,
  path: string,
  memberProblem: (member: Record<string, unknown>, path: string) => ShapeProblem | null,
): ShapeProblem | null {
  if (isAbsent(list)) return null
  if (!Array.isArray(list)) return { path, requested: 'an array' }
  for (const [index, member] of list.entries()) {
    const at = `${path}.${index}`
    const problem: ShapeProblem | null = isObject(member)
      ? memberProblem(member, at)
      : { path: at, requested: 'an object' }
    if (problem !== null) return problem
  }
  return null
}
