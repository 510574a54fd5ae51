import { type Criterion, listCriteria } from '@ratchet/contracts/criteria'
import type { ApiCommands } from '../api/api-commands.ts'
import { addList } from '../api/list-command.ts'
import { inShare } from '../text/in-words.ts'

export function listJudges(commands: ApiCommands): void {
  addList<typeof listCriteria, Criterion>(commands, {
    name: 'list',
    description: 'List judges with what is proven about them.',
    endpoint: listCriteria,
    limit: '20',
    heading: ['ID', 'NAME', 'MODEL', 'TRUST', 'TPR', 'TNR', 'MAY ACT', 'MONITORS', 'DRIFT'],
    rowOf: (judge) => [
      judge.id,
      judge.name,
      judge.judge_model,
      judge.trust,
      inShare(judge.tpr),
      inShare(judge.tnr),
      judge.can_act ? 'yes' : 'no',
      judge.online_enabled ? `${judge.online_percent} %` : '-',
      judge.drift_status,
    ],
    empty: 'no judges; `ratchet judge create` makes one',
  })
}
