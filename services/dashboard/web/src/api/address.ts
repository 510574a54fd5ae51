/**
 * The address of an endpoint's path on this origin: the dashboard's own endpoints begin with `/api/`, all others are reached
 * through the workspace of the page.
 *
 * @throws RangeError for an endpoint of a workspace on a page that belongs to none
 * @example addressOf('/v1/logs?limit=5', 'demo') // '/api/w/demo/v1/logs?limit=5'
 */
export function addressOf(path: string, slug: string | null): string {
  if (path.startsWith('/api/')) return path
  if (slug === null) throw new RangeError(`needs a workspace: ${path}`)
  return `/api/w/${encodeURIComponent(slug)}${path}`
}
