import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { Above } from '../../../kit/above.tsx'

/** The way back from the answers of a run to the run. */
export function AboveRun({ id }: { readonly id: string }): ReactNode {
  return (
    <Above>
      <Link to="/w/$slug/training/runs/$id" params={{ slug: useWorkspaceSlug(), id }}>
        GRPO run
      </Link>
    </Above>
  )
}
