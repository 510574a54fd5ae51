import { useParams } from '@tanstack/react-router'

/** The workspace of this page, from its address; null outside of workspaces. */
export function useSlug(): string | null {
  const params = useParams({ strict: false }) as { slug?: string }
  return params.slug ?? null
}

/** The workspace of a page below `/w/:slug`. */
export function useWorkspaceSlug(): string {
  const slug = useSlug()
  if (slug === null) throw new Error('This part is only for pages of a workspace.')
  return slug
}
