import { defineConfig, type Plugin } from "vite";

/** Every browser that runs the page reads woff2: the other forms of KaTeX's fonts stay out. */
const onlyWoff2: Plugin = {
  name: "only-woff2",
  enforce: "pre",
  transform: (code, id) =>
    /katex.*\.css$/.test(id) ? code.replace(/,\s*url\([^)]*\.(woff|ttf)\)\s*format\(["'][a-z]+["']\)/g, "") : null,
};

// The built page goes into the package, where the server and the wheel find it; git ignores it there.
export default defineConfig({
  base: "./",
  plugins: [onlyWoff2],
  build: {
    outDir: "../src/symoro/ui/web/static",
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 800, // three.js
    rollupOptions: {
      output: {
        // Readers of meshes are loaded when a robot brings some.
        manualChunks: (id: string) =>
          id.includes("node_modules/three/examples/jsm/loaders") ? undefined : id.includes("node_modules/three") ? "three" : id.includes("node_modules/katex") ? "katex" : undefined,
      },
    },
  },
  worker: { format: "es" },
  server: { proxy: { "/api": "http://127.0.0.1:8642" } },
});
