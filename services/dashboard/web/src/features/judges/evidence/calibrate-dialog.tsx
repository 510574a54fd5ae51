import { Button, Checkbox, Group, Modal, Stack } from '@mantine/core'
import { listCalibrations, startCalibration } from '@ratchet/contracts/calibrations'
import { type Criterion, getCriterion } from '@ratchet/contracts/criteria'
import { estimateCalibration } from '@ratchet/contracts/session-criteria'
import { type ReactNode, useState } from 'react'
import { useAct } from '../../../api/use-act.ts'
import { useEstimate } from '../../../api/use-estimate.ts'
import { Facts } from '../../../kit/facts.tsx'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { count, percent } from '../../../kit/numbers.ts'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'

interface CalibrateDialogProps {
  readonly judge: Criterion
  readonly onClose: () => void
}

/** What a calibration would judge, cost, and be able to prove. */
export function CalibrateDialog({ judge: { id, name }, onClose }: CalibrateDialogProps): ReactNode {
  const [includesPicked, setIncludesPicked] = useState(false)
  const body = { include_picked: includesPicked }
  const estimate = useEstimate(estimateCalibration, { params: { id }, body })
  const act = useAct(startCalibration, { changes: [listCalibrations, getCriterion], onDone: onClose })
  return (
    <Modal opened onClose={onClose} title={`Calibrate ${name}`}>
      <Stack gap={14}>
        <Loaded query={estimate}>
          {({ rows, estimated_cost_usd: usd, plan }) => {
            const best = plan.chances.at(-1)
            return (
              <Facts
                facts={[
                  ['Graded answers', `${count(rows.total)}: ${count(rows.fail)} fail, ${count(rows.pass)} pass`],
                  [
                    'Left out',
                    `${count(rows.ties)} ties, ${count(rows.picked)} picked, ${count(rows.incomplete)} of incomplete draws`,
                  ],
                  ['Judged twice', `${count(rows.judged_twice)} of them, to see whether the judge agrees with itself`],
                  ['Cost', `about ${moneyText(microOfUsd(usd))}`],
                  ...(best === undefined
                    ? []
                    : ([
                        [
                          `Chance to prove a judge of ${percent(best.true_rate)}`,
                          `fails ${percent(best.tpr_proven)}, passes ${percent(best.tnr_proven)}`,
                        ],
                      ] as const)),
                ]}
              />
            )
          }}
        </Loaded>
        <Checkbox
          label="Count grades of items that people picked"
          description="Their rates may not be those of the traffic, so no gate acts on such a calibration."
          checked={includesPicked}
          onChange={({ currentTarget }) => setIncludesPicked(currentTarget.checked)}
        />
        {act.error && <ErrorState error={act.error} />}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={act.isPending} onClick={() => act.mutate({ params: { id }, body })}>
            Calibrate
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
