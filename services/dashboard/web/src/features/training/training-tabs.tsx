import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { pagesBelow, TabLinks } from '../../kit/tab-links.tsx'

/** The lists of the room, above each of them. */
export function TrainingTabs(): ReactNode {
  const slug = useWorkspaceSlug()
  const pages = [
    ['/jobs', 'Jobs'],
    ['/raft', 'RAFT'],
    ['/tools', 'Tools'],
  ] as const
  return <TabLinks label="Training" pages={pagesBelow(`/w/${slug}/training`, pages)} />
}
