import { defineConfig } from "vite";

// The built page goes into the package, where the server and the wheel find it; git ignores it there.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/symoro/ui/web/static",
    emptyOutDir: true,
    target: "es2022",
    rollupOptions: {
      output: {
        // Readers of meshes are loaded when a robot brings some.
        manualChunks: (id: string) =>
          id.includes("node_modules/three/examples/jsm/loaders") ? undefined : id.includes("node_modules/three") ? "three" : id.includes("node_modules/katex") ? "katex" : undefined,
      },
    },
  },
  server: { proxy: { "/api": "http://127.0.0.1:8642" } },
});
