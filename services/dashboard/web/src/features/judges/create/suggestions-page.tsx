import { Button, Group, Select } from '@mantine/core'
import { isRunOver } from '@ratchet/contracts/calibrations'
import { getSuggestions, type Suggestions, suggestCriteria } from '@ratchet/contracts/judge-assist'
import { listSegments } from '@ratchet/contracts/segments'
import { listSuggestions } from '@ratchet/contracts/session-criteria'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { LogLink } from '../../../kit/item-link.tsx'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { countOf } from '../../../kit/numbers.ts'
import { Card, Page } from '../../../kit/page.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { FailedReads } from '../../../kit/states/failed-reads.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { usePolledRun } from '../use-polled-run.ts'

const route = getRouteApi('/w/$slug/judges/suggestions')

/** What a model suggests to judge. Nothing exists until a person creates it. */
export function SuggestionsPage(): ReactNode {
  const { suggestion } = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/judges/suggestions' })
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const listed = useEndpoint(listSegments, { query: { limit: 100 } })
  const segments = listed.data?.data ?? []
  const [segment, setSegment] = useState<string | null>(null)
  const act = useAct(suggestCriteria, { onDone: ({ id }) => void navigate({ search: { suggestion: id } }) })
  return (
    <Page
      title="Suggested judges"
      lead="A model reads graded failures and a sample of the traffic, and suggests what to judge. Its calls are charged."
    >
      <FailedReads of={[listed]} />
      <Group gap={12} align="flex-end">
        <Select
          label="Segment"
          placeholder="All segments"
          clearable
          data={segments.map(({ segment: value, label }) => ({ value, label: label === '' ? value : label }))}
          value={segment}
          onChange={setSegment}
        />
        <NotPermitted reason={reason}>
          {(disabled) => (
            <Button disabled={disabled} loading={act.isPending} onClick={() => act.mutate({ body: { segment } })}>
              Suggest
            </Button>
          )}
        </NotPermitted>
      </Group>
      {act.error && <ErrorState error={act.error} />}
      {suggestion === undefined ? <Latest /> : <Found key={suggestion} suggestionId={suggestion} />}
    </Page>
  )
}

/** What was suggested last, for who comes back without its address. */
function Latest(): ReactNode {
  const listed = useEndpoint(listSuggestions, { query: { limit: 1 } }, { topics: ['judges'] })
  return (
    <Loaded query={listed}>
      {({ data: [latest] }) => (latest === undefined ? null : <Found suggestionId={latest.id} />)}
    </Loaded>
  )
}

function Found({ suggestionId }: { readonly suggestionId: string }): ReactNode {
  const run = useEndpoint(
    getSuggestions,
    { params: { suggestion_id: suggestionId } },
    { topics: [`suggestion:${suggestionId}`] },
  )
  usePolledRun(run)
  return <Loaded query={run}>{(data) => <FoundSuggestions run={data} />}</Loaded>
}

function FoundSuggestions({ run }: { readonly run: Suggestions }): ReactNode {
  const { status, error, evidence, suggestions, cost_usd: usd } = run
  if (!isRunOver({ status })) return <p role="status">The model reads. This takes a moment.</p>
  if (status === 'FAILED') return <Notice state="wrong">{error ?? 'No suggestion was made.'}</Notice>
  if (suggestions.length === 0) {
    return <EmptyState title="No suggestion">The model found nothing that fails often enough.</EmptyState>
  }
  return (
    <>
      <p className="dimmed" style={{ margin: 0 }}>
        From {countOf(evidence.graded_fails, 'graded failure')} and {countOf(evidence.exchanges, 'other exchange')}, for{' '}
        {moneyText(microOfUsd(usd))}, <TimeText at={run.created_at} />.
      </p>
      {suggestions.map((each) => (
        <SuggestionCard key={each.name} suggestion={each} />
      ))}
    </>
  )
}

function SuggestionCard({ suggestion }: { readonly suggestion: Suggestions['suggestions'][number] }): ReactNode {
  const slug = useWorkspaceSlug()
  const { name, description, judge_prompt: prompt, evidence_log_ids: ids } = suggestion
  const search = { name, description, judge_prompt: prompt, source: 'assist_suggested' } as const
  return (
    <Card
      title={name}
      actions={
        <Button
          variant="default"
          renderRoot={(props) => <Link {...props} to="/w/$slug/judges/new" params={{ slug }} search={search} />}
        >
          Use it
        </Button>
      }
    >
      <p>{description}</p>
      <p style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{prompt}</p>
      {ids.length > 0 && (
        <div className="dimmed">
          Seen in{' '}
          {ids.map((id) => (
            <span key={id}>
              <LogLink id={id} />{' '}
            </span>
          ))}
        </div>
      )}
    </Card>
  )
}
