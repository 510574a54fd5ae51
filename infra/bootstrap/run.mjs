// The way into every `npm` script. Runs on the machine's own Node before anything is installed:
// no dependency, and no syntax in this file that an old Node could not read far enough to say so.
const major = Number(process.versions.node.split('.')[0])

if (major < 18) {
  console.error(`✗ Node ${process.versions.node} is too old. Install Node 18 or newer; the rest is fetched for you.`)
  process.exitCode = 1
} else {
  import('./bootstrap.mjs').then(({ bootstrap }) => bootstrap(process.argv.slice(2)))
}
