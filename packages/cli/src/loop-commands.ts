import type { ApiCommands } from './api/api-commands.ts'
import { cascadeCommands } from './cascade/cascade-commands.ts'
import { datasetCommands } from './datasets/dataset-commands.ts'
import { endpointCommands } from './endpoints/endpoint-commands.ts'
import { feedbackCommand } from './feedback/feedback-command.ts'
import { gradeCommand } from './grade/grade-command.ts'
import { grpoCommands } from './grpo/grpo-commands.ts'
import { importCommand } from './import/import-command.ts'
import { calibrateJudge } from './judge/calibrate-judge.ts'
import { createJudge } from './judge/create-judge.ts'
import { improveJudge } from './judge/improve-judge.ts'
import { listJudges } from './judge/list-judges.ts'
import { monitorJudge } from './judge/monitor-judge.ts'
import { planJudge } from './judge/plan-judge.ts'
import { scanJudge } from './judge/scan-judge.ts'
import { suggestJudges } from './judge/suggest-judges.ts'
import { logCommands } from './logs/log-commands.ts'
import { modelCommands } from './models/model-commands.ts'
import { toolCommands } from './tools/tool-commands.ts'
import { traceCommands } from './traces/trace-commands.ts'
import { trainCommands } from './train/train-commands.ts'
import { versionCommands } from './versions/version-commands.ts'
import { webhookCommands } from './webhooks/webhook-commands.ts'

/** Adds the commands of the loop beside evals and aliases: from the log to judges, datasets and webhooks. */
export function addLoopCommands(addGroup: (name: string) => ApiCommands): void {
  const groupOf = (name: string, other: string, description: string) => {
    const commands = addGroup(name)
    commands.group.alias(other).description(description)
    return commands
  }
  logCommands(groupOf('logs', 'log', 'The log: exchanges and families of prompts.'))
  traceCommands(groupOf('traces', 'trace', 'Agent runs.'))
  modelCommands(groupOf('models', 'model', 'The models that can be called.'))
  gradeCommand(addGroup('grade'))
  feedbackCommand(addGroup('feedback'))
  importCommand(addGroup('import'))
  const judges = groupOf('judge', 'judges', 'Judges: create, measure, scan, monitor, improve.')
  for (const add of [createJudge, listJudges, planJudge, calibrateJudge, scanJudge, monitorJudge]) add(judges)
  for (const add of [suggestJudges, improveJudge]) add(judges)
  cascadeCommands(groupOf('cascade', 'cascades', 'Cascades: cheap judges first, with a promised agreement.'))
  datasetCommands(groupOf('datasets', 'dataset', 'Training and eval examples.'))
  trainCommands(groupOf('train', 'training', 'Fine-tuning jobs: what they cost, their progress, their end.'))
  toolCommands(groupOf('tools', 'tool', 'Environment tools: what models may call in training runs.'))
  grpoCommands(groupOf('grpo', 'rl', 'GRPO runs: training by the rewards of own answers.'))
  endpointCommands(groupOf('endpoint', 'endpoints', 'Dedicated endpoints: replicas of a model for this workspace.'))
  versionCommands(groupOf('versions', 'version', 'Model versions: what training has made, and its adoption.'))
  webhookCommands(groupOf('webhooks', 'webhook', 'URLs that events are sent to.'))
}
