// Why no bundle can be made of this checkout. The message names the file and the next step.

export class BundleRefused extends Error {
  override readonly name = 'BundleRefused';
}
