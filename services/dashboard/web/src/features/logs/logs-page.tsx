import { exportLogs, type LogRow, listLogs } from '@ratchet/contracts/logs'
import { listSegments } from '@ratchet/contracts/segments'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { memo, type ReactNode, useCallback, useMemo, useState } from 'react'
import { useEndpoint, useList } from '../../api/use-endpoint.ts'
import { DownloadLink } from '../../kit/download-link.tsx'
import { FilterBar } from '../../kit/filters/filter-bar.tsx'
import { count } from '../../kit/numbers.ts'
import { Page } from '../../kit/page.tsx'
import { SavedViews } from '../../kit/saved-views.tsx'
import { errorKindOf } from '../../kit/states/error-kind.ts'
import { chosenColumns } from '../../kit/table/column.ts'
import { ColumnMenu } from '../../kit/table/column-menu.tsx'
import { ListTable } from '../../kit/table/list-table.tsx'
import { EmptyLogs } from './empty-logs.tsx'
import { logColumns, type ShownLog } from './log-columns.tsx'
import { LogPanel } from './log-panel.tsx'
import styles from './logs.module.css'
import { NewerLogs } from './newer-logs.tsx'
import { filtersOf, logFilterSchema } from './search.ts'
import { TimeScrubber } from './time-scrubber.tsx'
import type { Days } from './time-window.ts'
import { useMarks } from './use-marks.ts'
import { valueInputs } from './value-input.tsx'

const route = getRouteApi('/w/$slug/logs')
const maxExported = 10_000
const pageSize = 100

type Search = Readonly<Record<string, string | undefined>>
type Change = (changed: Search, replace?: boolean) => void

/** What is above the list does not change while further pages of it are read. */
const Filters = memo(LogFilterBar)
const Scrubber = memo(TimeScrubber)

/** Find an exchange, see it, grade it. */
export function LogsPage(): ReactNode {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/logs' })
  const change: Change = useCallback(
    (changed, replace = false) => void navigate({ search: (before) => ({ ...before, ...changed }), replace }),
    [navigate],
  )
  const filters = useMemo(() => filtersOf(search), [search])
  const segments = useEndpoint(listSegments, { query: { limit: 200 } }).data?.data
  const labels = useMemo(() => new Map(segments?.map(({ segment, label }) => [segment, label])), [segments])
  const logs = useList(listLogs, { query: { ...filters, content: 'none' } })
  const rows = useShownLogs(logs.rows, labels)
  const newest = useNewestLogs(logs)
  const page = logs.data?.pages[0] as Total | undefined
  const isOff = errorKindOf(logs.error).kind === 'logging-off'
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  return (
    <Page title="Logs" lead="Logged exchanges, newest first.">
      <Filters search={search} filters={filters} labels={labels} page={page} change={change} />
      {!isOff && (rows.length > 0 || isFiltered) && (
        <Scrubber days={(search.days as Days | undefined) ?? '7'} filters={filters} onChange={change} />
      )}
      <div className={styles.count}>
        {page !== undefined && rows.length > 0 && totalText(page)}
        {page !== undefined && <NewerLogs filters={filters} rows={newest} onShow={logs.readNewest} />}
      </div>
      <ListTable
        label="Log entries"
        list={{ ...logs, rows, error: isOff ? null : logs.error }}
        columns={chosenColumns(logColumns, search.columns)}
        rowKey={({ id }) => id}
        openKey={search.log}
        onOpen={({ id }) => change({ log: id }, search.log !== undefined)}
        onMove={search.log === undefined ? undefined : ({ id }) => change({ log: id }, true)}
        empty={<EmptyLogs isFiltered={isFiltered} isOff={isOff} onClear={() => change(filtersOf({}))} />}
      />
      <LogPanel search={search} change={change} mark={rows.find(({ id }) => id === search.log)?.mark} />
    </Page>
  )
}

interface LogFilterBarProps {
  readonly search: ReturnType<typeof route.useSearch>
  readonly filters: Search
  /** Labels of segments by id. */
  readonly labels: ReadonlyMap<string, string>
  readonly page: Total | undefined
  readonly change: Change
}

function LogFilterBar({ search, filters, labels, page, change }: LogFilterBarProps): ReactNode {
  return (
    <FilterBar
      schema={logFilterSchema}
      values={search}
      onChange={change}
      fields={valueInputs}
      textOf={(name, value) => (name === 'segment' ? (labels.get(value) ?? value) : value)}
    >
      <SavedViews page="logs" search={filters} onChoose={(view) => change({ ...filtersOf({}), ...view })} />
      <DownloadLink path={exportLogs.path} query={filters} file="logs.jsonl" detail={exportDetail(page)}>
        Export
      </DownloadLink>
      <ColumnMenu columns={logColumns} chosen={search.columns} onChoose={(columns) => change({ columns }, true)} />
    </FilterBar>
  )
}

/**
 * The entries with what other endpoints know about them. An entry about which nothing new is known stays the same object, so that
 * its row is not drawn again.
 */
function useShownLogs(
  logs: ReturnType<typeof useList<typeof listLogs>>['rows'],
  labels: ReadonlyMap<string, string>,
): readonly ShownLog[] {
  const marks = useMarks(useMemo(() => logs.map(({ id }) => id), [logs]))
  const [kept] = useState(() => new WeakMap<LogRow, ShownLog>())
  return useMemo(
    () =>
      logs.map((log) => {
        const mark = marks.get(log.id)
        const segmentLabel = labels.get(log.segment) ?? log.segment
        const before = kept.get(log)
        if (before?.mark === mark && before?.segmentLabel === segmentLabel) return before
        const shown = { ...log, mark, segmentLabel }
        kept.set(log, shown)
        return shown
      }),
    [logs, marks, labels, kept],
  )
}

/** The entries at the beginning of the list, also after it has forgotten them. */
function useNewestLogs({ rows, firstIndex }: ReturnType<typeof useList<typeof listLogs>>): readonly LogRow[] {
  const [kept] = useState((): { rows: readonly LogRow[] } => ({ rows: [] }))
  if (firstIndex === 0) kept.rows = rows.slice(0, pageSize)
  return kept.rows
}

interface Total {
  readonly total: number
  readonly total_is_exact: boolean
}

function totalText({ total, total_is_exact: isExact }: Total): string {
  return isExact ? `${count(total)} entries` : `${count(total)}+ entries`
}

function exportDetail(page: Total | undefined): string {
  if (page === undefined) return ''
  const lines = page.total_is_exact && page.total <= maxExported ? count(page.total) : `at most ${count(maxExported)}`
  return `JSON lines of ${lines} entries, the newest first`
}
