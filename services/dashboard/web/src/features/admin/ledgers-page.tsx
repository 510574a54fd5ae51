import { Stack } from '@mantine/core'
import { readLedgers } from '@ratchet/contracts/dashboard/admin-ledgers'
import type { LedgerAudit } from '@ratchet/contracts/internal-ledgers'
import type { ReactNode } from 'react'
import type { z } from 'zod'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { Facts } from '../../kit/facts.tsx'
import { moneyText } from '../../kit/money.ts'
import { count } from '../../kit/numbers.ts'
import { Card, Page } from '../../kit/page.tsx'
import { StateLabel } from '../../kit/state-mark.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import type { Column } from '../../kit/table/column.ts'
import { DataTable } from '../../kit/table/data-table.tsx'
import { TimeText } from '../../kit/time-text.tsx'
import { FreshOnly } from './fresh-only.tsx'
import { signInAgainFor } from './sign-in-again-for.ts'

type Audit = z.output<typeof LedgerAudit>
type Violation = Audit['violations'][number]

/** What the audits of the ledgers found. */
export function LedgersPage(): ReactNode {
  const ledgers = useEndpoint(readLedgers)
  return (
    <Page
      title="Ledgers"
      lead="Every ledger is audited every five minutes: each invariant holds for every wallet, or is listed here."
    >
      <FreshOnly signInAgain={signInAgainFor(ledgers)}>
        <Loaded query={ledgers}>
          {({ data }) => (
            <Stack gap={16}>
              {data.map((audit) => (
                <AuditCard key={audit.ledger} audit={audit} />
              ))}
            </Stack>
          )}
        </Loaded>
      </FreshOnly>
    </Page>
  )
}

const hourSeconds = 3_600

function AuditCard({ audit }: { readonly audit: Audit }): ReactNode {
  const { ledger, violations, checked, open_requests: open, oldest_open_seconds: oldest } = audit
  return (
    <Card title={`Ledger ${ledger}`}>
      <Stack gap={12}>
        {violations.length === 0 ? (
          <StateLabel state="proven">correct: all {count(checked)} invariants hold</StateLabel>
        ) : (
          <StateLabel state="wrong">
            wrong: {count(violations.length)} of {count(checked)} invariants are violated
          </StateLabel>
        )}
        {violations.length > 0 && (
          <DataTable
            label={`Violations of ${ledger}`}
            columns={violationColumns}
            rows={violations}
            rowKey={({ invariant }) => invariant}
          />
        )}
        <Facts
          facts={[
            ['Audited', <TimeText key="at" at={audit.audited_at} />],
            ['Open requests', open === 0 ? 'none' : `${count(open)}, the oldest for ${durationText(oldest)}`],
            [
              'Overdue',
              <StateLabel key="overdue" state={audit.overdue_requests === 0 ? 'proven' : 'wrong'}>
                {audit.overdue_requests === 0 ? 'none' : count(audit.overdue_requests)}
              </StateLabel>,
            ],
            ['Held', moneyText(audit.held_nano, { unit: 'nano', exact: true })],
            ['Written off', moneyText(audit.written_off_nano, { unit: 'nano', exact: true })],
          ]}
        />
      </Stack>
    </Card>
  )
}

function durationText(seconds: number): string {
  if (seconds < hourSeconds) return `${count(Math.round(seconds))} s`
  return `more than ${count(Math.floor(seconds / hourSeconds))} h`
}

const violationColumns: readonly Column<Violation>[] = [
  { id: 'invariant', header: 'Invariant', cell: ({ invariant }) => invariant },
  { id: 'count', header: 'Violated by', isNumber: true, width: 110, cell: (violation) => count(violation.count) },
  {
    id: 'example',
    header: 'For example',
    onPhone: false,
    cell: ({ example }) => <span className="code">{example}</span>,
  },
]
