import { Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../api/use-slug.ts'

/** The settings begin with the first of their pages. */
export function SettingsStart(): ReactNode {
  return <Navigate to="/w/$slug/settings/general" params={{ slug: useWorkspaceSlug() }} replace />
}
