import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../api/use-slug.ts'

interface NextLinkProps {
  /** Path of the page below the workspace. */
  readonly to:
    | 'judges'
    | 'logs'
    | 'playground'
    | 'review'
    | 'training/endpoints/new'
    | 'training/jobs/new'
    | 'training/raft/new'
    | 'training/runs/new'
  readonly children: ReactNode
}

/** Where the thing is done without which a page has nothing to show. */
export function NextLink({ to, children }: NextLinkProps): ReactNode {
  const slug = useWorkspaceSlug()
  return (
    <Link to={`/w/$slug/${to}`} params={{ slug }} search={{}}>
      {children}
    </Link>
  )
}
