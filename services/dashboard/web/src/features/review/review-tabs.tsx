import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { pagesBelow, TabLinks } from '../../kit/tab-links.tsx'

const pages = [
  ['', 'Rounds'],
  ['/adjudicate', 'Adjudicate'],
  ['/graders', 'Graders'],
] as const

/** The pages of review. */
export function ReviewTabs(): ReactNode {
  const slug = useWorkspaceSlug()
  return <TabLinks label="Review" pages={pagesBelow(`/w/${slug}/review`, pages)} />
}
