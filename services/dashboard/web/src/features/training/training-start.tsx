import { Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../api/use-slug.ts'

/** Training begins with the first of its pages. */
export function TrainingStart(): ReactNode {
  return <Navigate to="/w/$slug/training/jobs" params={{ slug: useWorkspaceSlug() }} search={{}} replace />
}
