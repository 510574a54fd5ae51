/** What a path below `/api/w/…` calls. */
export interface ApiTarget {
  readonly slug: string
  /** Path and query at the edge's door for people. */
  readonly path: string
}

const shape = /^\/api\/w\/([a-z0-9-]{1,40})(\/(?:v1|session)\/[^#]*)$/

/** The target of a request, from its undecoded URL; null for a path that is not for the API. */
export function apiTargetOf(url: string): ApiTarget | null {
  const [, slug, path] = shape.exec(url) ?? []
  return slug === undefined || path === undefined ? null : { slug, path }
}
