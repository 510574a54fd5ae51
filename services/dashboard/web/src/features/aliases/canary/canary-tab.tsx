import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { Card } from '../../../kit/page.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { isSplit } from '../alias-words.ts'
import { useOpenAlias } from '../detail/alias-context.ts'
import { ArmsTable } from './arms-table.tsx'
import { DecisionCard } from './decision-card.tsx'
import { FamiliesCard } from './families-card.tsx'
import { LooksCards } from './looks-cards.tsx'

/** A canary: its sequence, its guards, both arms, the families, and what is missing for a promotion. */
export function CanaryTab(): ReactNode {
  const slug = useWorkspaceSlug()
  const { alias, gate } = useOpenAlias()
  if (alias.canary_model === null && alias.shadow_model === null) {
    return (
      <EmptyState
        title="No canary"
        action={
          <Link
            to="/w/$slug/aliases/$name/routing"
            params={{ slug, name: alias.name }}
            search={{ canary_percent: '10' }}
          >
            Set a canary
          </Link>
        }
      >
        Every request goes to {alias.target_model}. A canary is another model that answers a share of the requests,
        while a gate compares both.
      </EmptyState>
    )
  }
  const hasCounts = isSplit(alias) || gate.shadow !== null || gate.arms.target.assigned > 0
  return (
    <>
      <LooksCards />
      <DecisionCard />
      {hasCounts && (
        <Card title="Both models">
          <ArmsTable gate={gate} />
        </Card>
      )}
      <FamiliesCard />
    </>
  )
}
