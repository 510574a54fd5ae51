import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { TabLinks, tabClass } from '../../kit/tab-links.tsx'

const pages = [
  ['/w/$slug/review', 'Rounds'],
  ['/w/$slug/review/adjudicate', 'Adjudicate'],
  ['/w/$slug/review/graders', 'Graders'],
] as const

/** The pages of review. */
export function ReviewTabs(): ReactNode {
  const slug = useWorkspaceSlug()
  return (
    <TabLinks label="Review">
      {pages.map(([to, label]) => (
        <Link key={to} to={to} params={{ slug }} className={tabClass} activeOptions={{ exact: true }}>
          {label}
        </Link>
      ))}
    </TabLinks>
  )
}
