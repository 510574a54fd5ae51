import { Button } from '@mantine/core'
import { type Alias, rollbackAlias } from '@ratchet/contracts/aliases'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { useKey, useKeysOf } from '../../../keys/key-context.ts'
import { KeyCaps } from '../../../kit/key-caps.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { aliasReads } from '../alias-changes.ts'

/** Rolling a canary back: one press and no question, because it is urgent and can be taken back. */
export function useRollBack(alias: Alias) {
  const [before, setBefore] = useState<Alias | null>(null)
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const act = useAct(rollbackAlias, { changes: aliasReads })
  const isLive = alias.canary_percent > 0
  // Without a version: it also works while somebody else changes the alias.
  const run = () => {
    setBefore(alias)
    act.mutate({ params: { name: alias.name }, body: {} })
  }
  useKey('alias.rollback', run, { enabled: isLive && reason === null && !act.isPending })
  return { act, before: alias.canary_percent === 0 ? before : null, isLive, reason, run }
}

type RollBack = ReturnType<typeof useRollBack>

export function RollBackButton({ rollBack: { act, isLive, reason, run } }: { readonly rollBack: RollBack }): ReactNode {
  const keys = useKeysOf('alias.rollback')
  if (!isLive) return null
  return (
    <NotPermitted reason={reason}>
      {(disabled) => (
        <Button
          color="red"
          disabled={disabled}
          loading={act.isPending}
          onClick={run}
          rightSection={keys === null ? null : <KeyCaps keys={keys} />}
        >
          Roll back
        </Button>
      )}
    </NotPermitted>
  )
}

/** What came of it, with the way back. */
export function RollBackOutcome({ rollBack: { act, before } }: { readonly rollBack: RollBack }): ReactNode {
  const slug = useWorkspaceSlug()
  if (act.error !== null) return <ErrorState error={act.error} />
  if (!act.isSuccess || before === null) return null
  const { name, target_model: target, canary_model: canary, canary_percent: percent } = before
  const search = { canary_percent: String(percent), ...(canary === null ? {} : { canary_model: canary }) }
  return (
    <div role="status">
      <Notice
        state="open"
        action={
          <Link to="/w/$slug/aliases/$name/routing" params={{ slug, name }} search={search}>
            Set {percent} % again
          </Link>
        }
      >
        Rolled back. Within two seconds every new request goes to {target}.
      </Notice>
    </div>
  )
}
