#include "tb/run/driver_library.h"

#include <dlfcn.h>
#include <stdexcept>

#include "kmd_stub/wddm/driver.h"
#include "tb/run/process/last_words.h"

namespace fenceline::run {

DriverLibrary::DriverLibrary(const std::string& path) {
  if (path.empty()) {
    entry_ = DriverEntry;
    return;
  }
  // A name without a slash would be looked for in the system's folders.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  const InDriver loading("the library's own start");
  library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr)
    throw std::invalid_argument("--kmd " + path + ": cannot load the driver: " + dlerror());
  entry_ = reinterpret_cast<os::DriverEntryFunction>(dlsym(library_, "DriverEntry"));
  if (entry_ == nullptr) {
    dlclose(library_);
    throw std::invalid_argument("--kmd " + path +
                                ": the library has no DriverEntry; export it with C linkage");
  }
  set_driver_code(reinterpret_cast<const void*>(entry_));
}

DriverLibrary::~DriverLibrary() {
  if (library_ != nullptr) dlclose(library_);
}

}  // namespace fenceline::run
