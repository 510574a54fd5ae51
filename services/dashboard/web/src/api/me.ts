import { type Me, type MyWorkspace, readMe } from '@ratchet/contracts/dashboard/account'
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { call } from './call.ts'
import { queryKeyOf } from './query-key.ts'
import { useWorkspaceSlug } from './use-slug.ts'

/** Who is signed in. Every page of a workspace has read it before it is shown. */
export const meQuery = queryOptions({
  queryKey: queryKeyOf(readMe, null),
  queryFn: ({ signal }): Promise<Me> => call(readMe, { slug: null, signal }),
})

export function useMe(): Me {
  return useSuspenseQuery(meQuery).data
}

/** The workspace of this page, with the role that the person has in it. */
export function useWorkspace(): MyWorkspace {
  const slug = useWorkspaceSlug()
  const { workspaces } = useMe()
  // A person who was just removed keeps the page until the router has left it.
  return workspaces.find((each) => each.slug === slug) ?? { slug, name: slug, role: 'member', may_grade: false }
}
