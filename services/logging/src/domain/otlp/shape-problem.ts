import { isRecord } from './any-value.ts'

/** What makes a request none, and where: a path like `resourceSpans.0.scopeSpans`, empty for the request itself. */
export interface ShapeProblem {
  readonly path: string
  /** What should stand there. */
  readonly requested: 'an array' | 'an object' | 'there'
}

/**
 * The first thing in an ExportTraceServiceRequest, down to its lists of spans, that is not what OTLP has there; null for
 * a request that has none. Spans themselves are not looked at, because a bad one costs only itself.
 */
export function shapeProblem(request: unknown): ShapeProblem | null {
  if (!isRecord(request)) return { path: '', requested: 'an object' }
  if (request.resourceSpans === undefined) {
    // A request without any fields is an empty one; another kind of export is not.
    return Object.keys(request).length === 0 ? null : { path: 'resourceSpans', requested: 'there' }
  }
  return listProblem(request.resourceSpans, 'resourceSpans', (each, path) => {
    if (!isAbsent(each.resource) && !isRecord(each.resource))
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
    const problem: ShapeProblem | null = isRecord(member)
      ? memberProblem(member, at)
      : { path: at, requested: 'an object' }
    if (problem !== null) return problem
  }
  return null
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}
