import { Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { useOpenAlias } from './alias-context.ts'

/** An alias with a canary opens with the canary. */
export function AliasStart(): ReactNode {
  const slug = useWorkspaceSlug()
  const { alias } = useOpenAlias()
  const params = { slug, name: alias.name }
  if (alias.canary_model === null && alias.shadow_model === null) {
    return <Navigate to="/w/$slug/aliases/$name/routing" params={params} search={{}} replace />
  }
  return <Navigate to="/w/$slug/aliases/$name/canary" params={params} search={{}} replace />
}
