import { Anchor, Button } from '@mantine/core'
import { type Alias, listAliases } from '@ratchet/contracts/aliases'
import { type Criterion, listCriteria } from '@ratchet/contracts/criteria'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import type { z } from 'zod'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint, useList } from '../../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { useKey } from '../../../keys/key-context.ts'
import { AliasLinks } from '../../../kit/alias-links.tsx'
import { FilterBar } from '../../../kit/filters/filter-bar.tsx'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { Page } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { ListTable } from '../../../kit/table/list-table.tsx'
import { trustStateOf } from '../../../pictures/trust-state.ts'
import { JudgeInterval } from '../judge-intervals.tsx'
import { actText, populationText } from '../judge-words.ts'
import { CascadesCard } from './cascades-card.tsx'

const route = getRouteApi('/w/$slug/judges')

/** All judges, and how far each is proven. */
export function JudgesPage(): ReactNode {
  const slug = useWorkspaceSlug()
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/judges' })
  const judges = useList(listCriteria, { query: search, topics: ['judges'] })
  const aliases = useEndpoint(listAliases, { query: { limit: 100 } }).data?.data
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const columns = useMemo(() => columnsOf(slug, gatesByJudge(aliases ?? [])), [slug, aliases])
  const create = () => void navigate({ to: '/w/$slug/judges/new', params: { slug } })
  useKey('create', create, { enabled: reason === null })
  const button = (
    <NotPermitted reason={reason}>
      {(disabled) => (
        <Button disabled={disabled} onClick={create}>
          Create a judge
        </Button>
      )}
    </NotPermitted>
  )
  return (
    <Page
      title="Judges"
      lead="A judge is a prompt that says what makes an answer fail. It is trusted as far as people's grades prove it."
      actions={
        <>
          <Button
            variant="default"
            renderRoot={(props) => <Link {...props} to="/w/$slug/judges/suggestions" params={{ slug }} />}
          >
            Suggestions
          </Button>
          {button}
        </>
      }
    >
      <FilterBar
        schema={listCriteria.query as z.ZodObject}
        values={search}
        onChange={(changed) => void navigate({ search: (before) => ({ ...before, ...changed }) })}
      />
      <ListTable
        label="Judges"
        list={judges}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/w/$slug/judges/$judge', params: { slug, judge: id } })}
        empty={
          <EmptyState title="No judge here" action={button}>
            Either none is created yet, or none matches the filters.
          </EmptyState>
        }
      />
      <CascadesCard />
    </Page>
  )
}

function gatesByJudge(aliases: readonly Alias[]): ReadonlyMap<string | null, readonly string[]> {
  const groups = Map.groupBy(aliases, ({ gate_criterion_id: id }) => id ?? null)
  return new Map([...groups].map(([id, each]) => [id, each.map(({ name }) => name)]))
}

function columnsOf(slug: string, gates: ReadonlyMap<string | null, readonly string[]>): readonly Column<Criterion>[] {
  return [
    {
      id: 'name',
      header: 'Judge',
      cell: ({ id, name, status }) => (
        <>
          <Anchor
            size="sm"
            renderRoot={(props) => <Link {...props} to="/w/$slug/judges/$judge" params={{ slug, judge: id }} />}
          >
            {name}
          </Anchor>
          {status === 'retired' && <span className="dimmed"> retired</span>}
        </>
      ),
    },
    {
      id: 'trust',
      header: 'Trust',
      width: 150,
      cell: trustCell,
    },
    {
      id: 'tpr',
      header: 'Fails found',
      width: 170,
      cell: (judge) => <JudgeInterval judge={judge} side="tpr" isSmall />,
      onPhone: false,
    },
    {
      id: 'tnr',
      header: 'Passes kept',
      width: 170,
      cell: (judge) => <JudgeInterval judge={judge} side="tnr" isSmall />,
      onPhone: false,
    },
    { id: 'population', header: 'Population', cell: populationText, onPhone: false },
    { id: 'monitor', header: 'Monitor, this week', width: 150, cell: monitorText, onPhone: false },
    { id: 'drift', header: 'Drift', width: 90, cell: driftCell, onPhone: false },
    {
      id: 'gates',
      header: 'Gates',
      width: 90,
      cell: ({ id }) => gatesCell(gates.get(id)),
      onPhone: false,
    },
  ]
}

function gatesCell(names: readonly string[] | undefined): ReactNode {
  return names === undefined ? <span className="dimmed">none</span> : <AliasLinks names={names} />
}

function trustCell(judge: Criterion): ReactNode {
  return (
    <div title={actText(judge)}>
      <StateLabel state={trustStateOf[judge.trust]}>{judge.trust}</StateLabel>
      <div className="dimmed">{judge.can_act ? 'gates may act' : 'gates may not act'}</div>
    </div>
  )
}

function monitorText(judge: Criterion): string {
  const { online_enabled: isOn, online_percent: share, online_spent_usd: spent, online_cap_usd: cap } = judge
  const used = moneyText(microOfUsd(spent))
  const money = cap === 0 ? used : `${used} of ${moneyText(microOfUsd(cap))}`
  return `${isOn ? `${share} %` : 'off'}, ${money}`
}

function driftCell({ drift_status: status, drift_signal: signal, drift_reason: reason }: Criterion): ReactNode {
  if (status === 'ok') return <span className="dimmed">none</span>
  return (
    <span title={reason ?? undefined}>
      <StateLabel state="wrong">{signal === 'stale' ? 'stale' : 'drop'}</StateLabel>
    </span>
  )
}
