import { Anchor, Button } from '@mantine/core'
import { type Alias, listAliases } from '@ratchet/contracts/aliases'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useList } from '../../../api/use-endpoint.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { useKey } from '../../../keys/key-context.ts'
import { Page } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { gateWords, isSplit } from '../alias-words.ts'
import { RecentChanges } from './recent-changes.tsx'

const pollMs = 5_000

/** All aliases: where each routes to, and what its gate says. */
export function AliasesPage(): ReactNode {
  const slug = useWorkspaceSlug()
  const navigate = useNavigate()
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const aliases = useList(listAliases, { topics: ['aliases'] })
  usePolling(aliases.refetch, aliases.rows.some(isSplit), pollMs)
  const columns = useMemo(() => columnsOf(slug), [slug])
  const create = () => void navigate({ to: '/w/$slug/aliases/new', params: { slug }, search: {} })
  useKey('create', create, { enabled: reason === null })
  const button = (
    <NotPermitted reason={reason}>
      {(disabled) => (
        <Button disabled={disabled} onClick={create}>
          New alias
        </Button>
      )}
    </NotPermitted>
  )
  return (
    <Page
      title="Aliases"
      lead="A name that applications use as a model. Where it routes to can be changed without them, with evidence."
      actions={button}
    >
      <ListTable
        label="Aliases"
        list={aliases}
        columns={columns}
        rowKey={({ name }) => name}
        onOpen={({ name }) => void navigate({ to: '/w/$slug/aliases/$name', params: { slug, name } })}
        empty={
          <EmptyState title="No alias yet" action={button}>
            With an alias you can try another model on a share of the traffic, and take it back within two seconds.
          </EmptyState>
        }
      />
      {reason === null && <RecentChanges />}
    </Page>
  )
}

function columnsOf(slug: string): readonly Column<Alias>[] {
  return [
    {
      id: 'name',
      header: 'Alias',
      cell: ({ name }) => (
        <Anchor
          size="sm"
          renderRoot={(props) => <Link {...props} to="/w/$slug/aliases/$name" params={{ slug, name }} />}
        >
          {name}
        </Anchor>
      ),
    },
    { id: 'target', header: 'Target', cell: ({ target_model: model }) => model },
    { id: 'canary', header: 'Canary', cell: canaryText, onPhone: false },
    { id: 'gate', header: 'Gate', width: 190, cell: gateCell },
    { id: 'families', header: 'Families', width: 100, cell: familiesText, onPhone: false },
    { id: 'evidence', header: 'Evidence', width: 160, cell: evidenceText, onPhone: false },
    { id: 'changed', header: 'Changed', width: 120, cell: (each) => <TimeText at={each.updated_at} />, onPhone: false },
  ]
}

function canaryText({ canary_model: model, canary_percent: percent }: Alias): ReactNode {
  if (model === null) return <span className="dimmed">none</span>
  return `${model}, ${percent} %`
}

function gateCell({ gate_state: gate, gate_mode: mode }: Alias): ReactNode {
  if (gate === null) return <span className="dimmed">{mode === null ? 'none' : 'waits for a split'}</span>
  const { word, state } = gateWords[gate]
  return <StateLabel state={state}>{word}</StateLabel>
}

function familiesText({ family_rules: rules }: Alias): ReactNode {
  if (rules.length === 0) return <span className="dimmed">no rules</span>
  return rules.length === 1 ? '1 rule' : `${rules.length} rules`
}

function evidenceText({ require_evidence: requires }: Alias): string {
  if (requires === null) return 'as the workspace'
  return requires ? 'required' : 'not required'
}
