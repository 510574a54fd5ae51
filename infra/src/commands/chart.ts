import path from 'node:path'
import { makeChart } from '../chart/make-chart.ts'
import { findRenderer } from '../k8s/render.ts'
import { ReadableError, runCommand } from '../terminal/readable-error.ts'

/* `npm run chart -- FOLDER`: writes a Helm chart of the manifests in `k8s/`. */
await runCommand(async () => {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new ReadableError('Name a folder for the chart: npm run chart -- FOLDER')
  const render = findRenderer()
  if (render === null)
    throw new ReadableError('The chart is made from rendered manifests: install kubectl or kustomize.')
  const { templates } = makeChart(folder, render)
  console.log(`✓ ${path.resolve(folder)}: ${templates} templates`)
})
